/** Every built-in scenario, begun from its page and run to its end in the browser, comes out as it declares. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runToEnd, startScenario } from '../drill.ts';
import { test } from '../fixtures.ts';

const labs = join(import.meta.dirname, '..', '..', 'lib', 'labs');
const ids = globSync('*/scenarios/*.yaml', { cwd: labs })
  .map((file) => `${file.split('/')[0]}/${basename(file, '.yaml')}`)
  .sort();

for (const id of ids) {
  test(`${id} comes out as declared in the browser`, async ({ page }) => {
    await startScenario(page, id);
    await runToEnd(page);
  });
}
