import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getLab } from '../labs/registry.ts';
import { runCase } from '../testing/case.ts';
import type { Check, StepRecord } from './model.ts';
import { getScenario } from './scenario.ts';
import { whatBroke } from './sweep/safeguards.ts';
import { type Judgment, judge } from './verdict.ts';

const check: Check = { at: 'end', panel: 'receipts', count: 2 };

test('a check that is not as it should be is named in its own words, with both figures', () => {
  const scenario = { ...getScenario('receipt/lost-ack'), steps: [], checks: [check] };
  const { reasons } = judge(getLab('receipt'), scenario, []);
  assert.deepEqual(reasons, ['There are 2 rows in the receipts at the end: the run has not ended']);
});

test('what broke is told by a invariant, else by a check, else by what was expected of a step', () => {
  const judgment = (more: Partial<Judgment>): Judgment => ({
    verdict: 'violated',
    checks: [],
    invariants: [],
    reasons: ['step run, exit: expected 3, got 0'],
    ...more,
  });
  const checks = [{ check, result: 'violated' as const, detail: '2 expected, 3 found' }];
  const id = 'one-effect';
  const invariants = [{ id, result: 'violated' as const, detail: 'two', declared: null, since: 'run' }];
  const reasons = ['step run, exit: expected 3, got 0', 'one-effect is violated since run: two'];
  assert.match(whatBroke(judgment({ checks, invariants, reasons })).reason, /^one-effect is violated/);
  assert.equal(
    whatBroke(judgment({ checks })).reason,
    'There are 2 rows in the receipts at the end: 2 expected, 3 found',
  );
  assert.match(whatBroke(judgment({})).reason, /^step run, exit/);
});

const CRASHED = 2;

/** The step as a full disk leaves it: recorded as failed, with what its executor said in its distress. */
function failedAt(records: readonly StepRecord[], index: number, changes: Partial<StepRecord> = {}) {
  return records.map((record, at) =>
    at === index ? { ...record, state: 'failed' as const, error: 'the disk is full', ...changes } : record,
  );
}

test('a step that the machine failed leaves the verdict unknown, with all that was expected from it on', async (t) => {
  const { lab, scenario, records } = await runCase(t, 'receipt/lost-ack');
  const before = records[1]?.evidence ?? null;
  const odd = [{ what: 'exit', result: 'violated' as const, detail: 'expected 86, got 70' }];
  const failed = failedAt(records, CRASHED, { evidence: before, expectations: odd });
  const judgment = judge(lab, scenario, failed);
  assert.equal(judgment.verdict, 'unknown', judgment.reasons.join('\n'));
  assert.ok(
    judgment.checks.every((check) => check.result !== 'violated'),
    'no check of a step that was not carried out is violated',
  );
  const sound = judge(
    lab,
    scenario,
    failed.map((record) => ({ ...record, state: 'done' as const })),
  );
  assert.equal(sound.verdict, 'violated', 'carried out, the same would be');
});

test('what the evidence violates is violated, whatever the machine failed', async (t) => {
  const { lab, scenario, records } = await runCase(t, 'receipt/lost-ack');
  const [first, ...rest] = records.at(-1)?.invariants ?? [];
  assert.ok(first);
  const last = { invariants: [{ ...first, result: 'violated' as const }, ...rest] };
  assert.equal(judge(lab, scenario, failedAt(records, records.length - 1, last)).verdict, 'violated');
});

test('a counterexample that a failed step kept from coming true is unknown', async (t) => {
  const { lab, scenario, records } = await runCase(t, 'receipt/forgotten-ledger');
  const kept = records.map((record) => ({
    ...record,
    invariants: record.invariants.map((one) => ({ ...one, result: 'holds' as const })),
  }));
  assert.equal(judge(lab, scenario, kept).verdict, 'violated');
  assert.equal(judge(lab, scenario, failedAt(kept, CRASHED)).verdict, 'unknown');
});
