/** What a sender records of receivers that die, misbehave, are busy or never end; and what is left running: nothing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { Control } from '../../drill/control.ts';
import { databaseDir } from '../../drill/engine.ts';
import { startExecutor } from '../../executor/launch.ts';
import { groupMembers } from '../../executor/processes.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { fileOf, type StoreId } from './stores.ts';
import { RECEIVERS } from './terms.ts';
import { assertAnswer, broken, type Trial, trial } from './testing/trial.ts';

const INVALID = RECEIVERS.filter((name) => !['honest', 'silent', 'error', 'never-ends'].includes(name));

for (const receiver of INVALID) {
  test(`a receiver that answers with ${receiver}: blocked, and never sent again`, async (t) => {
    const run = trial(t);
    await run.run('init');
    await run.run('enqueue');
    const sent = await run.run('dispatch', { receiver });
    assertAnswer(sent, 2, {
      status: 'invalid_response',
      state: 'blocked',
      effect: 'unknown',
      retryable: false,
    });
    assertAnswer(await run.run('dispatch', {}, { now: 11 }), 2, { status: 'not_claimed', definite: true });
    assert.deepEqual(run.figures(), ['blocked', 1, 1, 1, 0]);
    assert.equal(run.row()?.cells.response, null);
    assert.deepEqual(broken(run.records), []);
  });
}

for (const receiver of ['garbage', 'half-line', 'boolean-ticket', 'silent']) {
  test(`an external worker that answers with ${receiver}: unknown, and never called again`, async (t) => {
    const run = trial(t);
    await run.run('init');
    await run.run('enqueue', { mode: 'external' });
    const status = receiver === 'silent' ? 'unknown' : 'invalid_response';
    assertAnswer(await run.run('dispatch', { receiver }), 2, { status, state: 'unknown', effect: 'unknown' });
    assertAnswer(await run.run('dispatch', {}, { now: 11 }), 2, { status: 'not_claimed', state: 'unknown' });
    assert.deepEqual(run.figures(), ['unknown', 1, 0, 0, 1]);
    assert.deepEqual(broken(run.records), []);
  });
}

test('a receiver that says nothing and ends well has not acknowledged: the key may be tried again', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue');
  assertAnswer(await run.run('dispatch', { receiver: 'silent' }), 4, { status: 'no_ack', retryable: true });
  assertAnswer(await run.run('dispatch', {}, { now: 10 }), 0, { status: 'done' });
  assert.deepEqual(run.figures(), ['done', 2, 1, 1, 0]);
});

test('a receiver that never ends is ended at the deadline, alone, and nothing is left running', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue');
  const waited = await run.run('dispatch', { receiver: 'never-ends', deadlineMs: 1_000 });
  assertAnswer(waited, 4, { status: 'no_ack', why: 'the receiver did not answer before the deadline' });
  assert.deepEqual(groupMembers(waited.executors[0]?.pid as number), []);
  assert.deepEqual(run.figures().slice(0, 2), ['inflight', 1]);
});

test('a receiver that is held has no deadline: its answer counts when it is released', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue');
  const fault = { at: 'before-receiver-commit', role: 'receiver', action: 'hold' } as const;
  const held = await run.step({ label: 'held', command: 'dispatch', args: { deadlineMs: 100 }, fault });
  assert.ok(held.executors[0]?.held);
  // Not a wait for something to happen: the deadline passes, and nothing must come of it.
  await new Promise((resolve) => setTimeout(resolve, 150));
  assertAnswer(await run.step({ release: 'held' }), 0, { status: 'done' });
  assert.deepEqual(run.figures(), ['done', 1, 1, 1, 0]);
});

test('a receiver that never ends does not outlive its sender', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue');
  const control = new Control(join(tempDir(t), 'control'), { label: 'x', command: 'dispatch' });
  const started = await startExecutor();
  started.request({
    lab: 'outbox',
    command: 'dispatch',
    args: { receiver: 'never-ends', deadlineMs: 20_000 },
    dir: databaseDir(run.dir),
    control: control.dir,
    now: 0,
    without: [],
    owner: process.pid,
  });
  const committed = () =>
    control.trace().some((line) => 'commit' in line && line.name === 'ticket-and-receipt');
  await reached(committed);
  process.kill(started.pid, 'SIGKILL');
  await started.end;
  await reached(() => groupMembers(started.group).length === 0);
});

/** Waits for something that must come; the test's own deadline ends what never does. */
async function reached(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('while a delivery is under way, nothing holds the write lock of the sender', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue');
  const fault = { at: 'before-receiver-commit', role: 'receiver', action: 'hold' } as const;
  await run.step({ label: 'held', command: 'dispatch', fault });
  assertAnswer(await run.run('enqueue', { key: 'op-2' }), 0, { status: 'accepted' });
  assertAnswer(await run.run('claim', { key: 'op-2' }), 0, { status: 'claimed' });
  assertAnswer(await run.step({ release: 'held' }), 0, { status: 'done' });
  assert.deepEqual(broken(run.records), []);
});

test('whoever is busy past the bounded wait changes nothing', { concurrency: 3 }, async (t) => {
  await Promise.all([
    t.test('a busy receiver counts as no answer', async (inner) => {
      const run = trial(inner);
      await run.run('init');
      await run.run('enqueue');
      await run.run('enqueue', { key: 'op-2' });
      const fault = { at: 'before-receiver-commit', role: 'receiver', action: 'hold' } as const;
      await run.step({ label: 'held', command: 'dispatch', fault });
      const busy = await run.run('dispatch', { key: 'op-2' });
      assertAnswer(busy, 4, { status: 'no_ack', why: 'the receiver was busy' });
      assertAnswer(await run.step({ release: 'held' }), 0, { status: 'done' });
      assertAnswer(await run.run('dispatch', { key: 'op-2' }, { now: 10 }), 0, { status: 'done' });
      assert.deepEqual(broken(run.records), []);
    }),
    t.test('a busy tool leaves unknown', async (inner) => {
      const run = trial(inner);
      await run.run('init');
      await run.run('enqueue', { mode: 'external' });
      const free = lock(run, 'external');
      assertAnswer(await run.run('dispatch'), 2, { status: 'unknown', why: 'the receiver was busy' });
      free();
      assert.deepEqual(run.figures(), ['unknown', 1, 0, 0, 0]);
    }),
    t.test('a busy sender ends with 75, definite', async (inner) => {
      const run = trial(inner);
      await run.run('init');
      await run.run('enqueue');
      const free = lock(run, 'sender');
      assertAnswer(await run.run('dispatch'), 75, { error: 'busy', definite: true });
      free();
      assert.deepEqual(run.figures(), ['pending', 0, 0, 0, 0]);
    }),
  ]);
});

/** Takes the write lock of a store, as another program would. @returns what gives it back */
function lock(run: Trial, store: StoreId): () => void {
  const db = new Database(fileOf(databaseDir(run.dir), store));
  db.exec('BEGIN IMMEDIATE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}

test('a stale acknowledgement exits by the state of the row: in flight 4, done 0; neither is an error', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue');
  const fault = { at: 'after-claim', action: 'hold' } as const;
  await run.step({ label: 'first', command: 'dispatch', fault });
  await run.step({ label: 'second', command: 'dispatch', fault, now: 10 });
  assertAnswer(await run.step({ release: 'first' }), 4, {
    status: 'stale_claim',
    state: 'inflight',
    attempt: 1,
  });
  assertAnswer(await run.step({ release: 'second' }), 0, { status: 'done', attempt: 2 });
  assertAnswer(await run.run('dispatch'), 0, { status: 'not_claimed', state: 'done' });
  assert.deepEqual(run.figures(), ['done', 2, 1, 1, 0]);
  assert.deepEqual(broken(run.records), []);
});

test('a row that was marked before sending keeps saying done, whatever comes back', async (t) => {
  const run = trial(t);
  await run.run('init');
  const send = async (key: string, receiver: string) => {
    await run.run('enqueue', { key, mode: 'mark_before' });
    return await run.run('dispatch', { key, receiver });
  };
  assertAnswer(await send('op-1', 'honest'), 0, { status: 'premarked_done', effect: 'confirmed' });
  assertAnswer(await send('op-2', 'silent'), 2, { status: 'no_ack', effect: 'unknown', retryable: false });
  assertAnswer(await send('op-3', 'garbage'), 2, { status: 'invalid_response', effect: 'unknown' });
  for (const key of ['op-1', 'op-2', 'op-3']) assert.equal(run.row(key)?.cells.state, 'done');
  assert.deepEqual(broken(run.records), ['done-has-its-response']);
});

test('a store of the receiver that is gone or no database blocks the row, whatever the mode', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue');
  await run.step({ damage: 'scribble-receiver' });
  assertAnswer(await run.run('dispatch'), 2, { status: 'blocked', state: 'blocked', retryable: false });
  await run.run('enqueue', { key: 'op-2', mode: 'naive' });
  await run.step({ damage: 'delete-receiver' });
  assertAnswer(await run.run('dispatch', { key: 'op-2' }), 2, { status: 'blocked', state: 'blocked' });
});
