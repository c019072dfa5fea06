/** `npm run schema`: writes public/drill.schema.json from the one schema of the format. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../core/project-root.ts';
import { programJsonSchema } from './schema.ts';

writeFileSync(
  join(projectRoot(), 'public', 'drill.schema.json'),
  `${JSON.stringify(programJsonSchema(), null, 2)}\n`,
);
