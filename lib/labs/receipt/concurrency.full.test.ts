/** Executors that meet: held and released one by one, or all at once. No sleeps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepSpec } from '../../drill/model.ts';
import { assertAnswer, assertSound, INIT, PLAN, RECOVER, RUN, trial } from './testing/session.ts';

const held = (at: string): StepSpec => ({ ...RUN, label: 'held', fault: { at, action: 'hold' } });
const RELEASE: StepSpec = { label: 'released', release: 'held' };
const DRIFT: StepSpec = { label: 'drift', command: 'drift', args: { value: true } };
const FORGET: StepSpec = { label: 'forget', command: 'forget' };

test('who meets the write lock for longer than the bounded wait leaves with 75, definite, and changes nothing', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('before-target-commit'));
  assertAnswer(await run.step(RUN), 75, { error: 'busy', definite: true });
  assert.deepEqual([run.status(), run.version(), run.rows('receipts').length], ['pending', 1, 0]);
  assertAnswer(await run.step(RELEASE), 0, { status: 'complete' });
  assert.equal(run.effects(), 1);
  assertSound(run.records);
});

test('a recovery of what needs no record waits for no lock', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('before-intent-commit'));
  assertAnswer(await run.step(RECOVER), 3, { status: 'nothing-recorded', definite: true });
  assertAnswer(await run.step(RELEASE), 0, { status: 'complete' });
  assertSound(run.records);
});

test('a late executor does not overwrite uncertain: superseded, with that status and its exit code', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('after-intent'), DRIFT, RECOVER);
  assertAnswer(await run.step(RELEASE), 2, {
    status: 'superseded',
    recorded: 'uncertain',
    effect: 'unknown',
    retryable: false,
  });
  assert.deepEqual([run.status(), run.version(), run.effects()], ['uncertain', 2, 0]);
  assertSound(run.records);
});

test('a late executor does not overwrite reconciled: superseded, exit 0', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('after-target'), RECOVER);
  assertAnswer(await run.step(RELEASE), 0, {
    status: 'superseded',
    recorded: 'reconciled',
    effect: 'confirmed',
  });
  assert.deepEqual([run.status(), run.effects()], ['reconciled', 1]);
  assertSound(run.records);
});

test('a late executor finds that a retry has done its work, and does it no second time', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('after-intent'), RECOVER, RUN);
  assert.equal(run.status(), 'complete');
  assertAnswer(await run.step(RELEASE), 0, {
    status: 'superseded',
    recorded: 'complete',
    effect: 'confirmed',
  });
  assert.equal(run.effects(), 1);
  assertSound(run.records);
});

test('a retry that dies after the target leaves its receipt to the late executor, which completes', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('after-intent'), {
    ...RUN,
    label: 'retry',
    fault: { at: 'after-target' },
  });
  assertAnswer(await run.step(RELEASE), 0, { status: 'complete', effect: 'confirmed' });
  assert.equal(run.effects(), 1);
  assertSound(run.records);
});

test('an executor whose record was deleted before its effect has none', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('after-intent'), FORGET);
  assertAnswer(await run.step(RELEASE), 3, {
    status: 'superseded',
    recorded: 'nothing-recorded',
    definite: true,
  });
  assert.deepEqual([run.version(), run.effects()], [1, 0]);
  assertSound(run.records);
});

test('an executor whose record was deleted after its effect does not call it absent', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, held('after-target'), FORGET);
  assertAnswer(await run.step(RELEASE), 2, {
    status: 'superseded',
    recorded: 'nothing-recorded',
    effect: 'unknown',
    decision: 'investigate',
    definite: false,
  });
  assert.equal(run.effects(), 1);
});

test('a held recovery that is killed leaves the operation to the next one', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, { ...RUN, label: 'crashed', fault: { at: 'after-target' } });
  await run.step({ ...RECOVER, label: 'held', fault: { at: 'before-reconcile-commit', action: 'hold' } });
  const killed = await run.step({ ...RELEASE, action: 'kill' });
  assert.equal(killed.executors[0]?.signal, 'SIGKILL');
  assertAnswer(await run.step(RECOVER), 0, { status: 'reconciled' });
  assertSound(run.records);
});

test('eight at once: all exit 0, one intent, one effect, one receipt', async (t) => {
  const run = trial(t);
  const record = await run.steps(INIT, PLAN, {
    ...RUN,
    label: 'race',
    race: { executors: 8, at: 'before-intent' },
  });
  assert.deepEqual(
    record.executors.map((end) => end.code),
    Array.from({ length: 8 }, () => 0),
  );
  assert.deepEqual([run.rows('operation').length, run.rows('receipts').length, run.effects()], [1, 1, 1]);
  assert.match(String(run.status()), /^(complete|reconciled)$/);
  assertSound(run.records);
});

test('eight resubmissions at once come to one conclusion, recorded once', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, { ...RUN, label: 'crashed', fault: { at: 'after-target' } });
  const runs = { ...RUN, label: 'race', race: { executors: 8, at: 'before-intent' } };
  const record = await run.step(runs);
  for (const end of record.executors) {
    assert.deepEqual([end.code, end.reply?.status, end.reply?.effect], [0, 'reconciled', 'confirmed']);
  }
  assert.equal(run.rows('events').filter((row) => row.cells.kind === 'reconciled').length, 1);
  assertSound(run.records);
});
