/** Every boundary, every way to die: what an executor leaves behind, and where a correct operator takes it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '../../core/canonical.ts';
import type { StepSpec } from '../../drill/model.ts';
import { lab } from './manifest.ts';
import { assertAnswer, assertSound, INIT, PLAN, RECOVER, RUN, trial } from './testing/session.ts';

/** What is committed once an executor has died there: status, version, receipts. */
const LEFT: Record<string, [status: string | undefined, version: number, receipts: number]> = {
  'before-intent': [undefined, 1, 0],
  'before-intent-commit': [undefined, 1, 0],
  'after-intent': ['pending', 1, 0],
  'before-target-commit': ['pending', 1, 0],
  'after-target': ['pending', 2, 1],
  'before-receipt-commit': ['pending', 2, 0],
  'after-receipt': ['pending', 2, 1],
  'before-complete-commit': ['pending', 2, 1],
  'after-complete': ['complete', 2, 1],
  'before-reconcile-commit': ['pending', 2, 1],
  'after-reconcile': ['reconciled', 2, 1],
};
const WAYS = [
  ['exit', 86, null],
  ['kill', null, 'SIGKILL'],
  ['abort', null, 'SIGABRT'],
] as const;

test('every boundary of the manifest has its line here', () => {
  const known = lab.boundaries.filter(({ commit }) => commit !== 'decision').map(({ name }) => name);
  assert.deepEqual(known.sort(), Object.keys(LEFT).sort());
});

for (const { name, commit, onlyWithout } of lab.boundaries) {
  // resolve.test.ts covers them.
  if (commit === 'decision') continue;
  const inRecovery = commit === 'classification';
  test(`a death at ${name} leaves whole commits, and the operator ends with one effect`, async (t) => {
    for (const [way, code, signal] of WAYS) {
      const run = trial(t, { without: onlyWithout ? [onlyWithout] : [] });
      const setup: StepSpec[] = [INIT, PLAN];
      if (inRecovery) setup.push({ ...RUN, label: 'first', fault: { at: 'after-target', action: way } });
      const dying: StepSpec = {
        ...(inRecovery ? RECOVER : RUN),
        label: 'dying',
        fault: { at: name, action: way },
      };
      const record = await run.steps(...setup, dying);
      const [end] = record.executors;
      assert.deepEqual([end?.code, end?.signal, end?.reply], [code, signal, null]);
      assert.equal(record.fault.fired.length, 1);
      assert.deepEqual([run.status(), run.version(), run.rows('receipts').length], LEFT[name]);
      if (name === 'before-receipt-commit') continue;
      await run.settle();
      assert.equal(run.effects(), 1);
      assert.equal(run.rows('receipts').length, 1);
      assert.match(String(run.status()), /^(complete|reconciled)$/);
      assertSound(run.records);
    }
  });
}

test('a recovery of an absent effect may die too: the next one finds the same', async (t) => {
  for (const at of ['before-reconcile-commit', 'after-reconcile']) {
    const run = trial(t);
    await run.steps(INIT, PLAN, { ...RUN, label: 'crashed', fault: { at: 'after-intent' } });
    await run.step({ ...RECOVER, label: 'dying', fault: { at, action: 'kill' } });
    assertAnswer(await run.step(RECOVER), 4, { status: 'pending', effect: 'absent', retryable: true });
    await run.settle();
    assert.deepEqual([run.status(), run.effects()], ['complete', 1]);
    assertSound(run.records);
  }
});

test('a resubmission that finds a receipt reconciles and executes nothing, though nobody ran a recovery', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, { ...RUN, label: 'crashed', fault: { at: 'after-target' } });
  assertAnswer(await run.step(RUN), 0, { status: 'reconciled', effect: 'confirmed' });
  assert.equal(run.effects(), 1);
  assertSound(run.records);
});

test('a resubmission of a pending intent never rejects: the one who recorded it may have acted', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, { ...RUN, label: 'crashed', fault: { at: 'after-intent' } });
  await run.step({ label: 'drift', command: 'drift', args: { value: false } });
  assertAnswer(await run.step(RUN), 2, { status: 'uncertain', effect: 'unknown', definite: false });
  assertSound(run.records);
});

test('a crash of the rejection leaves a pending intent, of which the next executor can only be uncertain', async (t) => {
  const run = trial(t);
  const drift = { label: 'drift', command: 'drift', args: { value: true } };
  await run.steps(INIT, PLAN, drift, { ...RUN, label: 'crashed', fault: { at: 'before-complete-commit' } });
  assert.equal(run.status(), 'pending');
  assertAnswer(await run.step(RECOVER), 2, { status: 'uncertain' });
  assertSound(run.records);
});

test('the same program gives byte-equal evidence every time', async (t) => {
  const evidence = async () => {
    const run = trial(t);
    await run.steps(INIT, PLAN, { ...RUN, label: 'crashed', fault: { at: 'after-target', action: 'kill' } });
    await run.steps({ label: 'drift', command: 'drift', args: { value: false } }, RECOVER, RUN);
    return canonicalJson(run.records.map((record) => record.evidence));
  };
  assert.equal(await evidence(), await evidence());
});
