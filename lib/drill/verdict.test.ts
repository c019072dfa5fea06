import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getLab } from '../labs/registry.ts';
import { runCase } from '../testing/case.ts';
import { evaluateCheck } from './checks.ts';
import type { Check, StepRecord } from './model.ts';
import { type Reason, reasonWords } from './reasons.ts';
import { getScenario } from './scenario.ts';
import { whatBroke } from './sweep/safeguards.ts';
import { type Judgment, judge } from './verdict.ts';

const check: Check = { at: 'end', panel: 'receipts', count: 2 };

const lab = getLab('receipt');
const lines = ({ reasons }: Judgment): string[] => reasons.map((reason) => reasonWords(lab, reason));

test('a check that does not hold is named in its own words, with both figures', () => {
  const scenario = { ...getScenario('receipt/lost-ack'), steps: [], checks: [check] };
  assert.deepEqual(lines(judge(lab, scenario, [])), [
    'There are 2 rows in the receipts at the end: the run has not ended',
  ]);
});

test('what broke is named by an invariant before a check, and by a check before an expectation of a step', () => {
  const judgment = (reasons: Reason[]): Judgment => ({
    verdict: 'violated',
    checks: [],
    invariants: [],
    reasons,
  });
  const found: Reason = { kind: 'check', result: 'violated', check, figures: '2 expected, 3 found' };
  assert.equal(
    whatBroke(lab, judgment([found])).reason,
    'There are 2 rows in the receipts at the end: 2 expected, 3 found',
  );
});

test('a run is in progress until its last step is done, whatever its evidence says by then', async (t) => {
  const { scenario, records } = await runCase(t, 'receipt/lost-ack');
  const [first, ...rest] = records[2]?.invariants ?? [];
  assert.ok(first);
  const bad = records.slice(0, 3).map((record, at) => {
    return at === 2
      ? { ...record, invariants: [{ ...first, result: 'violated' as const }, ...rest] }
      : record;
  });
  for (const steps of [[], records.slice(0, 1), bad])
    assert.equal(judge(lab, scenario, steps).verdict, 'in progress');
  assert.equal(judge(lab, scenario, records).verdict, 'holds');
  assert.equal(judge(lab, null, []).verdict, 'in progress', 'free play before its first step');
});

test('a counterexample that holds says which invariant it violates, since which step, with the figures', async (t) => {
  const { lab: of, scenario, records } = await runCase(t, 'receipt/forgotten-ledger');
  const { verdict, reasons } = judge(of, scenario, records);
  assert.equal(verdict, 'holds');
  const declared = reasons.filter(({ kind }) => kind === 'declared-violation');
  assert.deepEqual(
    declared.map((one) => 'invariant' in one && one.invariant),
    scenario?.violates,
  );
  for (const line of lines({ verdict, reasons, checks: [], invariants: [] }))
    assert.match(line, /is violated since step ".+", as declared: .+/);
});

test('a declared counterexample whose run was interrupted is unknown, with the reason', async (t) => {
  const { lab: of, scenario, records } = await runCase(t, 'receipt/forgotten-ledger');
  const last = records.length - 1;
  const cut = records.map((one, at) => (at === last ? { ...one, state: 'interrupted' as const } : one));
  const { verdict, reasons } = judge(of, scenario, cut);
  assert.equal(verdict, 'unknown');
  assert.ok(reasons.some(({ kind }) => kind === 'step-interrupted'));
});

test('a scenario that ends with a process still held is unknown, and says which step holds it', async (t) => {
  const whole = getScenario('receipt/late-executor');
  const at = whole.steps.findIndex(({ release }) => release !== undefined);
  const scenario = { ...whole, steps: whole.steps.slice(0, at), checks: [] };
  const { records } = await runCase(t, scenario);
  const { verdict, reasons } = judge(lab, scenario, records);
  assert.equal(verdict, 'unknown');
  assert.deepEqual(reasons, [{ kind: 'still-held', step: whole.steps[at]?.release }]);
});

test('in free play a fault that was not reached leaves the run unknown until a later step settles it', async (t) => {
  const { steps } = getScenario('receipt/lost-ack');
  const [init, plan, crashed] = steps.map(({ expect: _, predict: __, ...step }) => step);
  assert.ok(init && plan && crashed);
  // Approval is missing, so the command is refused long before the boundary.
  const early = { ...crashed, label: 'early', args: { proposal: '$proposal' } };
  const { fault: _, ...sound } = crashed;
  const scenario = { ...getScenario('receipt/lost-ack'), steps: [init, plan, early, sound], checks: [] };
  const { records } = await runCase(t, scenario);
  const before = judge(lab, null, records.slice(0, 3));
  assert.equal(before.verdict, 'unknown');
  assert.deepEqual(
    before.reasons.map(({ kind }) => kind),
    ['fault-not-fired'],
  );
  assert.equal(judge(lab, null, records).verdict, 'holds', lines(judge(lab, null, records)).join('\n'));
  assert.equal(judge(lab, scenario, records).verdict, 'unknown', 'a scenario has to reach its fault');
});

test('a count of changes in a store that is gone is unknown, not zero', async (t) => {
  const whole = getScenario('receipt/database-deleted');
  const { records } = await runCase(t, { ...whole, checks: [] });
  const result = evaluateCheck(lab, { at: 'end', changes: 0 }, records, true);
  assert.deepEqual(result.result, 'unknown', result.detail);
});

const CRASHED = 2;

/** The step as a full disk leaves it: recorded as failed, with what its executor said in its distress. */
function failedAt(records: readonly StepRecord[], index: number, changes: Partial<StepRecord> = {}) {
  return records.map((record, at) =>
    at === index ? { ...record, state: 'failed' as const, error: 'the disk is full', ...changes } : record,
  );
}

test('a step that the machine failed leaves the verdict unknown, with all that was expected from it on', async (t) => {
  const { scenario, records } = await runCase(t, 'receipt/lost-ack');
  const before = records[1]?.evidence ?? null;
  const odd = [{ what: 'exit', result: 'violated' as const, detail: 'expected 86, got 70' }];
  const failed = failedAt(records, CRASHED, { evidence: before, expectations: odd });
  const judgment = judge(lab, scenario, failed);
  assert.equal(judgment.verdict, 'unknown', lines(judgment).join('\n'));
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
  const { scenario, records } = await runCase(t, 'receipt/lost-ack');
  const [first, ...rest] = records.at(-1)?.invariants ?? [];
  assert.ok(first);
  const last = { invariants: [{ ...first, result: 'violated' as const }, ...rest] };
  assert.equal(judge(lab, scenario, failedAt(records, records.length - 1, last)).verdict, 'violated');
});

test('a counterexample that a failed step kept from coming true is unknown', async (t) => {
  const { scenario, records } = await runCase(t, 'receipt/forgotten-ledger');
  const kept = records.map((record) => ({
    ...record,
    invariants: record.invariants.map((one) => ({ ...one, result: 'holds' as const })),
  }));
  assert.equal(judge(lab, scenario, kept).verdict, 'violated');
  assert.equal(judge(lab, scenario, failedAt(kept, CRASHED)).verdict, 'unknown');
});
