/** The executor as its sources are; `compile.ts` makes one file of the same for each lab. */
import type { Commands } from '../labs/child.ts';
import { serveOne } from './serve.ts';

void serveOne(
  process.argv[2],
  (lab, module) => import(`../labs/${lab}/${module}.ts`) as Promise<{ commands: Commands }>,
);
