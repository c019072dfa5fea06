/** Where the project lies. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The folder, not the file, comes from import.meta.url: a bundler turns `new URL('./main.ts', ...)` into an asset.
const here = dirname(fileURLToPath(import.meta.url));

/** Folder that holds package.json, found from this file; the bundled server keeps working from its build folder. */
export function projectRoot(): string {
  let dir = process.env.DRILL_ROOT || here;
  while (!existsSync(join(dir, 'lib', 'executor', 'main.ts'))) {
    const up = dirname(dir);
    if (up === dir) return process.cwd();
    dir = up;
  }
  return dir;
}
