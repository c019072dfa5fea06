import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { loadProgram } from './load.ts';
import { outcomeText } from './report.ts';
import { sweepProgram } from './sweep.ts';
import { leftBehind } from './testing/lab.ts';

/** Cells of an example that do not end with one effect, in words. */
async function otherwise(name: string): Promise<string[]> {
  const lab = loadProgram(join(projectRoot(), 'examples', name, 'drill.yaml'));
  const result = await sweepProgram(lab);
  assert.equal(result.verdict, 'holds', result.reasons.join('\n'));
  assert.deepEqual(leftBehind(), []);
  return result.parts.flatMap(({ variant, cells }) =>
    cells
      .filter(({ outcomes }) => outcomes[0]?.outcome !== 'once')
      .map(({ key, outcomes }) => `${variant} ${key} ${outcomes.map(outcomeText).join()}`),
  );
}

test('a migration that is recorded outside its commit fails on its own work', async () => {
  assert.deepEqual(await otherwise('migrate'), [
    'two-commits migrate/after-change#1:kill stuck: failed, 1 effect',
  ]);
});

test('a backup that is made in its place is taken for a whole one after a crash', async () => {
  assert.deepEqual(await otherwise('backup-shell'), [
    'in-place backup/after-first-file#1:kill lost',
    'in-place backup/before-copy#1:kill lost',
  ]);
});

test('a payment whose reply is lost is made twice without a key, and with one that has expired', async () => {
  const lost = (variant: string) =>
    ['kill', 'lose-reply'].map(
      (action) => `${variant} pay/http POST /charges after#1:${action} duplicated: 2 effects`,
    );
  assert.deepEqual(await otherwise('payment-http'), [...lost('no-key'), ...lost('key-expired')]);
});
