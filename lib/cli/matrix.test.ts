import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSweep } from '../drill/sweep/sweep.ts';
import { getLab } from '../labs/registry.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { junitReport } from './matrix.ts';

test('every test case of a matrix report has a name that says what was done, the baseline too', async (t) => {
  const report = await runSweep(getLab('receipt'), {
    dir: tempDir(t),
    procedures: ['run'],
    ways: ['exit'],
    until: () => true,
  });
  const names = [...junitReport(report).matchAll(/<testcase [^>]*? name="([^"]*)"/g)].map(([, name]) => name);
  assert.ok(names.includes('run: without a fault'), names.join('\n'));
  for (const name of names) assert.doesNotMatch(name ?? '', /:$/);
});
