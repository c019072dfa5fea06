/** Rules that no single scenario shows whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { readRunInput } from './input.ts';
import { freeze, move, readRun, Superseded } from './record.ts';
import { submit } from './run.ts';
import { createStores, withWork } from './stores.ts';
import { APPROVE, assertSound, INIT, RUN, scenario, trial } from './testing/trial.ts';
import { CREATE_TOOL, DEFAULT_CONTEXT, VOID_TOOL } from './words.ts';

test('what was decided before a cancellation was requested is not recorded after it', (t) => {
  const dir = tempDir(t);
  createStores(dir, { lag: 3, keys: true });
  withWork({ dir, now: 0, without: new Set() }, (work) => {
    const input = readRunInput({});
    const created = freeze(work, input);
    assert.ok(created);
    const set = { attempts: 1, dispatched_at: 0, sure_from: 3 };
    const seen = move(work, created, 'decision', {}, { state: 'reconcile_required', events: [], set });
    // Same state and same attempt before and after: the request alone tells them apart.
    assert.equal(submit(work, { ...input, cancel: true }).reply.status, 'reconcile_required');
    const late = () => move(work, seen, 'reconciliation', {}, { state: 'verifying', events: [['late']] });
    assert.throws(late, Superseded);
    assert.equal(readRun(work.runs, 'team-a', 'run-1')?.state, 'reconcile_required');
  });
});

test('a clock that goes back takes no lag away from an earlier dispatch', async (t) => {
  const run = trial(t);
  await run.steps(
    { ...INIT, args: { lag: 5 } },
    APPROVE,
    { ...RUN, now: 10, fault: { at: 'after-effect' } },
    { ...RUN, now: 3, fault: { at: 'after-intent' } },
    { label: 'cancel', command: 'run', args: { cancel: true }, now: 8 },
  );
  const early = await run.step({ label: 'early', command: 'run', now: 8 });
  assert.equal(early.executors[0]?.reply?.status, 'reconcile_required');
  await run.step({ label: 'later', command: 'run', now: 15 });
  assert.equal(run.cell('team-a/run-1:ticket', 'state'), 'cancelled');
  assert.equal(run.cell('team-a/run-1:ticket', 'ticket'), 'ticket-1');
  assertSound(run.records);
});

test('a look-up that finds other content under the key confirms nothing', async (t) => {
  const run = trial(t);
  const action = { source: 'another', title: 'another', tool: CREATE_TOOL };
  await run.steps(INIT, { label: 'taken', command: 'create', args: { key: 'run-1:ticket', action } });
  await run.steps(APPROVE, RUN);
  const { executors } = await run.step({ label: 'lookup', command: 'lookup' });
  const { status, ticket, effect, decision, definite } = executors[0]?.reply ?? {};
  assert.deepEqual(
    { code: executors[0]?.code, status, ticket, effect, decision, definite },
    {
      code: 2,
      status: 'found-other-content',
      ticket: 'ticket-1',
      effect: 'unknown',
      decision: 'investigate',
      definite: true,
    },
  );
  assertSound(run.records);
});

const DENIED = { ...DEFAULT_CONTEXT, allowed: false };

test('the operator leaves a cancellation that the policy denies to a person, and carries it out once allowed', async (t) => {
  const run = trial(t);
  await run.steps(INIT, { label: 'denied', command: 'run', args: { cancel: true, context: DENIED } });
  await run.settle();
  assert.deepEqual([run.cell('team-a/run-1:ticket', 'state'), run.records.length], ['denied', 2]);
  await run.step({ label: 'allowed', command: 'run', fault: { at: 'before-decision-commit' } });
  await run.settle();
  assert.equal(run.cell('team-a/run-1:ticket', 'state'), 'cancelled');
  assertSound(run.records);
});

test('the operator resumes the contract that was frozen, not one that died or was refused', async (t) => {
  const run = trial(t);
  const changed = { ...RUN, args: { ...RUN.args, budget: 9 } };
  await run.steps(INIT, APPROVE, { ...changed, fault: { at: 'before-contract-commit' } });
  await run.steps({ ...RUN, fault: { at: 'after-intent' } }, changed);
  await run.settle();
  assert.equal(run.cell('team-a/run-1:ticket', 'state'), 'succeeded');
  assert.equal(run.cell('team-a/run-1:ticket', 'budget'), 2);
  assertSound(run.records);
});

test('the operator leaves a compensation that the policy denies to a person', async (t) => {
  const run = trial(t);
  const wrong = { source: 'wrong-source', title: 'wrong title', tool: CREATE_TOOL };
  const expected = { ...wrong, title: 'right' };
  const voiding: JsonObject = { action: { ...wrong, tool: VOID_TOOL } };
  await run.steps(
    INIT,
    { ...APPROVE, args: { action: wrong } },
    { ...RUN, args: { action: wrong, expected, approval: '$approval' } },
    { label: 'approve-void', command: 'approve', args: voiding, saves: 'void' },
    { label: 'denied', command: 'compensate', args: { approval: '$void', context: DENIED } },
  );
  await run.settle();
  assert.equal(run.cell('team-a/run-1:compensation', 'state'), 'denied');
  assert.equal(run.records.at(-1)?.label, 'denied');
});

test('a look-up that finds nothing while a dispatched worker may live proves no absence', async (t) => {
  const run = trial(t);
  await run.steps(INIT, APPROVE);
  await run.step({ ...RUN, label: 'held', fault: { at: 'before-effect', action: 'hold' } });
  const early = await run.step({ label: 'early', command: 'lookup' });
  assert.deepEqual([early.executors[0]?.code, early.executors[0]?.reply?.effect], [2, 'unknown']);
  await run.step({ label: 'released', release: 'held' });
  const late = await run.step({ label: 'late', command: 'lookup' });
  assert.deepEqual([late.executors[0]?.code, late.executors[0]?.reply?.effect], [0, 'confirmed']);
  assertSound(run.records);
});

test('names that hold what stands between them make two operations, not one', async (t) => {
  const run = trial(t);
  await run.step(INIT);
  for (const [tenant, name] of [
    ['a/b', 'c'],
    ['a', 'b/c'],
  ] as const) {
    const args = { context: { tenant, principal: 'alice', policyVersion: 1, allowed: true }, run: name };
    await run.step({ label: `approve-${tenant}`, command: 'approve', args, saves: 'approval' });
    const done = await run.step({
      label: `run-${tenant}`,
      command: 'run',
      args: { ...args, approval: '$approval' },
    });
    assert.equal(done.executors[0]?.reply?.status, 'succeeded');
  }
  assert.equal(new Set(run.rows('operation').map(({ key }) => key)).size, 2);
  assertSound(run.records);
});

test('what the service refuses is no commit of it: the map draws no effect that was not', async (t) => {
  for (const [name, commits] of [
    ['two-executors', 1],
    ['lag-stable-key', 1],
  ] as const) {
    const { records } = await scenario(t, name);
    const made = records
      .flatMap(({ trace }) => trace)
      .filter((line) => 'commit' in line && line.name === 'effect');
    assert.equal(made.length, commits, name);
  }
  const { records } = await scenario(t, 'compensation-fails');
  const voids = records
    .flatMap(({ trace }) => trace)
    .filter((line) => 'commit' in line && line.name === 'void');
  assert.deepEqual(voids, []);
});
