/** What the page may count after a store was really deleted or spoilt, and what it must call not known. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runScenario } from '#lib/drill/run.ts';
import { getScenario } from '#lib/drill/scenario.ts';
import { getLab } from '#lib/labs/registry.ts';
import { tempDir } from '#lib/testing/temp-dir.ts';
import { blindOf, FIGURES, type FigureName, figuresOf } from './known.ts';

async function run(t: TestContext, id: string) {
  const scenario = getScenario(id);
  const lab = getLab(scenario.lab);
  const { records } = await runScenario(lab, scenario, { dir: tempDir(t) });
  return { lab, records, figures: figuresOf(lab, records) };
}

/** Each number, or which store is in its way, and how. */
function told(figures: ReturnType<typeof figuresOf>): unknown[] {
  assert.ok(figures);
  return (Object.keys(FIGURES) as FigureName[]).map((name) => {
    const { count, blind } = figures[name];
    return blind ? `${blind.store} ${blind.problem}` : count;
  });
}

test('what a store held that is gone or unreadable is not counted as none', async (t) => {
  for (const [id, expected] of [
    ['outbox/sender-deleted', [1, 1, 'sender gone']],
    ['outbox/receiver-deleted', ['receiver gone', 'receiver gone', 2]],
    ['outbox/not-a-database', ['receiver unreadable', 'receiver unreadable', 2]],
  ] as const) {
    const { figures } = await run(t, id);
    assert.deepEqual(told(figures), expected, id);
  }
});

test('what was never created holds nothing, and that is known', async (t) => {
  const { lab, records } = await run(t, 'outbox/receiver-deleted');
  const missing = records.slice(-1);
  assert.equal(blindOf(lab, missing, 'receipts'), null);
  assert.deepEqual(told(figuresOf(lab, missing)), [0, 0, 2]);
});

test('stores that can be read are counted as before, whichever step is looked at', async (t) => {
  const { lab, records } = await run(t, 'outbox/naive-lost-ack');
  assert.deepEqual(
    records.map((_, index) => told(figuresOf(lab, records.slice(0, index + 1)))),
    [
      [0, 0, 0],
      [0, 0, 0],
      [1, 0, 1],
      [2, 0, 2],
    ],
  );
});

test('attempts of a run and of its compensation are said to be of two operations', async (t) => {
  const { lab, records } = await run(t, 'write-recovery/compensation-fails');
  const at = (label: string) =>
    figuresOf(lab, records.slice(0, records.findIndex((record) => record.label === label) + 1));
  assert.equal(at('run')?.operations, 1);
  assert.equal(at('tried')?.operations, 2);
});

test('a lab that counts no attempts has no such numbers', async (t) => {
  assert.equal((await run(t, 'receipt/lost-ack')).figures, null);
});
