import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepSpec } from '../../drill/model.ts';
import { assess } from './assessment.ts';
import { INIT, PLAN, RUN, trial } from './testing/session.ts';

const crashed = (at: string): StepSpec => ({ ...RUN, label: 'crashed', fault: { at } });
const DRIFT: StepSpec = { label: 'drift', command: 'drift', args: { value: true } };

const CASES: [what: string, steps: StepSpec[], effect: string, decision: string, survived: RegExp][] = [
  ['before anything was submitted', [INIT, PLAN], 'absent', 'none', /Nothing has been submitted/],
  [
    'a receipt',
    [INIT, PLAN, crashed('after-target')],
    'confirmed',
    'reconcile',
    /committed together with version 2/,
  ],
  [
    'a receipt and a drift',
    [INIT, PLAN, crashed('after-target'), DRIFT],
    'confirmed',
    'reconcile',
    /version 3 now: somebody acted after it/,
  ],
  [
    'a damaged receipt',
    [INIT, PLAN, crashed('after-target'), { label: 'damage', damage: 'damage-receipt' }],
    'unknown',
    'investigate',
    /not that of the record/,
  ],
  [
    'an intent alone',
    [INIT, PLAN, crashed('after-intent')],
    'absent',
    'retry-same-key',
    /still at version 1/,
  ],
  [
    'an intent and an equal value',
    [INIT, PLAN, crashed('after-intent'), DRIFT],
    'unknown',
    'investigate',
    /the very value that was wanted. Nothing says who/,
  ],
  [
    'nothing after a rollback',
    [INIT, PLAN, crashed('before-intent-commit')],
    'absent',
    'retry-same-key',
    /No record/,
  ],
  ['a completion', [INIT, PLAN, RUN], 'confirmed', 'none', /committed together with version 2/],
  [
    'a deleted database',
    [INIT, PLAN, RUN, { label: 'delete', damage: 'delete-database' }],
    'unknown',
    'investigate',
    /database is gone/,
  ],
  [
    'a file that is no database',
    [INIT, PLAN, RUN, { label: 'overwrite', damage: 'overwrite-database' }],
    'unknown',
    'investigate',
    /no sound database/,
  ],
];

for (const [what, steps, effect, decision, survived] of CASES) {
  test(`the reading of ${what}: ${effect}, ${decision}`, async (t) => {
    const run = trial(t);
    await run.steps(...steps);
    const read = assess(run.records);
    assert.deepEqual([read.effect, read.decision], [effect, decision]);
    assert.match(read.survived, survived);
    assert.notEqual(read.recordAlone, '');
  });
}

test('the reading does not look at the ground truth', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, crashed('after-target'));
  const blind = run.records.map((record) => ({
    ...record,
    evidence: record.evidence && { ...record.evidence, truth: [] },
  }));
  assert.deepEqual(assess(blind), assess(run.records));
});
