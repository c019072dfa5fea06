/** `npm run schema`: writes public/scenario.schema.json from the one schema of the format. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../core/project-root.ts';
import { scenarioJsonSchema } from './schema.ts';

writeFileSync(
  join(projectRoot(), 'public', 'scenario.schema.json'),
  `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`,
);
