/** Crashes and late workers, with executors that really die. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepSpec } from '../../drill/model.ts';
import { boundaries } from './boundaries.ts';
import { APPROVE, assertSound, INIT, RUN, trial } from './testing/trial.ts';
import { DEFAULT_ACTION, VOID_TOOL } from './words.ts';

const wrong = { source: 'wrong-source', title: 'wrong title', tool: DEFAULT_ACTION.tool };
const failedRun: StepSpec[] = [
  INIT,
  { ...APPROVE, args: { action: wrong } },
  { ...RUN, args: { action: wrong, expected: { ...DEFAULT_ACTION }, approval: '$approval' } },
  {
    label: 'approve-void',
    command: 'approve',
    args: { action: { ...wrong, tool: VOID_TOOL } },
    saves: 'void',
  },
];
const compensate: StepSpec = { label: 'compensate', command: 'compensate', args: { approval: '$void' } };
const places = boundaries.map(({ name }) => name).filter((name) => /compensation|void/.test(name));

for (const at of places.filter((name) => !name.includes('decision'))) {
  test(`a compensation killed at ${at} ends with one void and no residue`, async (t) => {
    const run = trial(t);
    const crashed = await run.steps(...failedRun, { ...compensate, fault: { at, action: 'kill' } });
    assert.equal(crashed.executors[0]?.signal, 'SIGKILL');
    await run.settle();
    assert.equal(run.cell('team-a/run-1:compensation', 'state'), 'compensated');
    assert.equal(run.cell('team-a/run-1:compensation', 'residue'), 'none');
    assert.equal(run.cell('team-a/run-1:ticket', 'state'), 'failed');
    const voids = run.evidence.truth.filter(({ operation }) => operation === 'team-a/run-1:compensation');
    assert.equal(voids.length, 1);
    assertSound(run.records);
  });
}

test('the record says the same before and after the effect; the service alone differs', async (t) => {
  const [before, after] = [trial(t), trial(t)];
  await before.steps(INIT, APPROVE, { ...RUN, fault: { at: 'before-effect' } });
  await after.steps(INIT, APPROVE, { ...RUN, fault: { at: 'after-effect' } });
  for (const id of ['operation', 'events'] as const) assert.deepEqual(before.rows(id), after.rows(id));
  assert.deepEqual([before.rows('target').length, after.rows('target').length], [0, 1]);
});

test('a worker held before its intent finds the cancellation and dispatches nothing', async (t) => {
  const run = trial(t);
  await run.steps(INIT, APPROVE, { ...RUN, label: 'late', fault: { at: 'after-contract', action: 'hold' } });
  const cancelled = await run.step({ label: 'cancel', command: 'run', args: { cancel: true } });
  assert.equal(cancelled.executors[0]?.code, 0);
  const released = await run.step({ label: 'released', release: 'late' });
  assert.equal(released.executors[0]?.reply?.status, 'cancelled');
  assert.equal(released.executors[0]?.code, 0);
  assert.equal(run.cell('team-a/run-1:ticket', 'attempts'), 0);
  assert.equal(run.rows('target').length, 0);
  assert.equal(run.cell('team-a/run-1:ticket', 'state'), 'cancelled');
  assertSound(run.records);
});

test('a worker whose policy was revoked meanwhile changes no record and admits its ticket', async (t) => {
  const run = trial(t);
  await run.steps(INIT, APPROVE, { ...RUN, label: 'late', fault: { at: 'before-effect', action: 'hold' } });
  const context = { tenant: 'team-a', principal: 'alice', policyVersion: 1, allowed: false };
  await run.step({ label: 'denied', command: 'run', args: { context } });
  const { executors } = await run.step({ label: 'released', release: 'late' });
  const { status, recorded, effect, definite } = executors[0]?.reply ?? {};
  assert.deepEqual(
    { code: executors[0]?.code, status, recorded, effect, definite },
    { code: 2, status: 'superseded', recorded: 'denied', effect: 'confirmed', definite: false },
  );
  assert.equal(run.cell('team-a/run-1:ticket', 'state'), 'denied');
  assertSound(run.records);
});

test('two compensations at once void the ticket once', async (t) => {
  const run = trial(t);
  await run.steps(...failedRun, {
    ...compensate,
    label: 'late',
    fault: { at: 'before-void', action: 'hold' },
  });
  const second = await run.step(compensate);
  assert.equal(second.executors[0]?.reply?.status, 'compensated');
  const released = await run.step({ label: 'released', release: 'late' });
  assert.equal(released.executors[0]?.reply?.status, 'superseded');
  assert.equal(released.executors[0]?.code, 0);
  assert.equal(run.evidence.truth.length, 2);
  assertSound(run.records);
});
