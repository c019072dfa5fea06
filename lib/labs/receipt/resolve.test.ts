/** Reviewed decisions: recorded once, in a commit of their own, and never against evidence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '../../core/canonical.ts';
import type { StepSpec } from '../../drill/model.ts';
import { lab } from './manifest.ts';
import { assertAnswer, assertSound, INIT, PLAN, RECOVER, RUN, type Trial, trial } from './testing/session.ts';
import { OPERATION } from './words.ts';

const crashed = (at: string): StepSpec => ({ ...RUN, label: 'crashed', fault: { at } });
const DRIFT: StepSpec = { label: 'drift', command: 'drift', args: { value: true } };
const resolve = (conclusion: string, more: StepSpec['args'] = {}): StepSpec => ({
  label: 'resolve',
  command: 'resolve',
  args: { conclusion, looked: 'the audit log', showed: 'one change, by others', by: 'Ada', ...more },
});

async function inDoubt(run: Trial): Promise<void> {
  await run.steps(INIT, PLAN, crashed('after-intent'), DRIFT, RECOVER);
  assert.equal(run.status(), 'uncertain');
}

test('after absent the same operation runs again under the same key, and the first record stays', async (t) => {
  const run = trial(t);
  await inDoubt(run);
  assertAnswer(await run.step(resolve('absent')), 4, { effect: 'absent', decision: 'retry-same-key' });
  assert.equal(run.status(), 'uncertain');
  assertAnswer(await run.step(RUN), 3, { status: 'rejected', effect: 'absent', definite: true });
  assert.equal(run.effects(), 0);
  assertSound(run.records);
});

test('a decision that the ground truth contradicts is violated', async (t) => {
  const run = trial(t);
  await inDoubt(run);
  const record = await run.step(resolve('confirmed', { reference: 'version 2' }));
  assertAnswer(record, 0, { effect: 'confirmed', decision: 'none' });
  const broken = record.invariants.filter(({ result }) => result === 'violated').map(({ id }) => id);
  assert.deepEqual(broken, ['recovery-says-true']);
});

test('an operation in doubt is an investigation until somebody decides', async (t) => {
  const run = trial(t);
  await inDoubt(run);
  const open = () => lab.investigations?.(run.records).map(({ operation }) => operation);
  assert.deepEqual(open(), [OPERATION]);
  await run.step(resolve('void'));
  assert.deepEqual(open(), []);
});

test('after void nothing runs again, and a second decision is refused', async (t) => {
  const run = trial(t);
  await inDoubt(run);
  assertAnswer(await run.step(resolve('void')), 3, { decision: 'none', retryable: false });
  assertAnswer(await run.step(RUN), 3, { status: 'uncertain' });
  assertAnswer(await run.step(resolve('absent')), 3, { status: 'decided', definite: true });
  assertSound(run.records);
});

test('a decision is refused where the evidence decides, or an earlier attempt may still act', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN);
  assertAnswer(await run.step(resolve('absent')), 3, { status: 'nothing-recorded', definite: true });
  await run.step(crashed('after-target'));
  const before = canonicalJson(run.evidence.panels as never);
  assertAnswer(await run.step(resolve('absent')), 3, { status: 'still-pending', definite: true });
  assertAnswer(await run.step(resolve('confirmed')), 3, { status: 'no-reference', definite: true });
  assert.equal(canonicalJson(run.evidence.panels as never), before);
  await run.step(RECOVER);
  assertAnswer(await run.step(resolve('absent')), 3, { status: 'settled', definite: true });
  assertSound(run.records);
});

test('absent is refused beside a receipt of the operation, whatever the receipt says', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, crashed('after-target'), { label: 'damage', damage: 'empty-receipt' }, RECOVER);
  assertAnswer(await run.step(resolve('absent')), 3, { status: 'contradicted', definite: true });
  assertAnswer(await run.step(resolve('confirmed', { reference: 'version 2' })), 0, { effect: 'confirmed' });
});

test('a death before the decision is committed leaves none, one after it leaves the decision', async (t) => {
  for (const [at, count] of [
    ['before-decision-commit', 0],
    ['after-decision', 1],
  ] as const) {
    const run = trial(t);
    await inDoubt(run);
    const record = await run.step({ ...resolve('absent'), fault: { at, action: 'kill' } });
    assert.equal(record.fault.fired.length, 1);
    const kept = run.rows('events').filter(({ key }) => key.startsWith('decision/'));
    assert.equal(kept.length, count);
    assertSound(run.records);
  }
});

test('doubt beside the operation’s own receipt is violated without receipt-before-retry; recovery ends it', async (t) => {
  const run = trial(t, { without: ['receipt-before-retry'] });
  const retried = await run.steps(INIT, PLAN, crashed('after-target'), { ...RUN, label: 'retry' });
  const found = (record: typeof retried) =>
    record.invariants.find(({ id }) => id === 'no-doubt-beside-proof')?.result;
  assert.equal(found(retried), 'violated');
  const recovered = await run.step(RECOVER);
  assertAnswer(recovered, 0, { status: 'reconciled', effect: 'confirmed' });
  assert.equal(found(recovered), 'holds');
});
