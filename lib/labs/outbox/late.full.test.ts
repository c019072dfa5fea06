/** What an executor does and says that comes back late: it reads the row, and sends nothing that it may not record. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import type { JsonObject } from '../../core/json.ts';
import { databaseDir } from '../../drill/engine.ts';
import type { FaultSpec } from '../../drill/model.ts';
import { lab } from './manifest.ts';
import { fileOf } from './stores.ts';
import { assertAnswer, broken, type Trial, trial } from './testing/trial.ts';

const AT_CLAIM = { at: 'after-claim', action: 'hold' } as const;

/** A first dispatch that stands behind its claim, and a second one at the exact end of its lease. */
async function overtaken(
  t: TestContext,
  mode: string,
  first: JsonObject = {},
  second?: FaultSpec,
): Promise<Trial> {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue', { mode });
  await run.run('dispatch', first, { label: 'first', fault: AT_CLAIM });
  await run.run('dispatch', {}, { label: 'second', now: 10, ...(second ? { fault: second } : {}) });
  return run;
}

function saysNoLease(run: Trial): void {
  const reply = run.records.at(-1)?.executors[0]?.reply ?? {};
  assert.equal(Object.hasOwn(reply, 'lease'), false, JSON.stringify(reply));
}

test('whoever cannot mark its row sends nothing: the other attempt is done, one ticket', async (t) => {
  const run = await overtaken(t, 'mark_before');
  const late = await run.step({ release: 'first' });
  assertAnswer(late, 0, { status: 'stale_claim', state: 'done', attempt: 1, effect: 'confirmed' });
  assert.deepEqual(run.figures(), ['done', 2, 1, 0, 0]);
  assert.equal(run.rows('events').at(-1)?.store, 'receiver');
  assert.equal(run.rows('events').filter(({ cells }) => cells.event === 'mark-refused').length, 1);
  assert.deepEqual(broken(run.records), []);
});

test('whoever cannot mark its row sends nothing: a row that is in flight, unmarked, has no ticket', async (t) => {
  const run = await overtaken(t, 'mark_before', {}, { at: 'after-claim' });
  const late = await run.step({ release: 'first' });
  assertAnswer(late, 4, { status: 'stale_claim', state: 'inflight', attempt: 1, lease: 20, retryable: true });
  assert.deepEqual(run.figures(), ['inflight', 2, 0, 0, 0]);
  assert.equal(lab.assess(run.records).effect, 'absent');
  assertAnswer(await run.run('dispatch', {}, { now: 20 }), 0, { status: 'premarked_done' });
  assert.deepEqual(run.figures(), ['done', 3, 1, 0, 0]);
  assert.deepEqual(broken(run.records), []);
});

test('done without a response confirms nothing, whoever says it', async (t) => {
  const run = await overtaken(t, 'mark_before', {}, { at: 'after-mark-before-send' });
  const nobodyKnows = { state: 'done', effect: 'unknown', decision: 'investigate', retryable: false };
  assertAnswer(await run.step({ release: 'first' }), 2, { status: 'stale_claim', ...nobodyKnows });
  assertAnswer(await run.run('dispatch', {}, { now: 20 }), 2, { status: 'not_claimed', ...nobodyKnows });
  assert.deepEqual(run.figures(), ['done', 2, 0, 0, 0]);
});

test('a late executor that heard nothing reads the row: done is not to be tried again', async (t) => {
  // A receiver without receipts may have made a ticket for the attempt that heard nothing.
  for (const [mode, exit] of [
    ['idempotent', 0],
    ['naive', 2],
  ] as const) {
    const run = await overtaken(t, mode, { receiver: 'silent' });
    const late = await run.step({ release: 'first' });
    assertAnswer(late, exit, { status: 'stale_claim', state: 'done', attempt: 1, retryable: false });
    saysNoLease(run);
  }
});

test('a late executor that heard nothing tells the lease of the attempt that has the row', async (t) => {
  const run = await overtaken(t, 'idempotent', { receiver: 'silent' }, AT_CLAIM);
  const late = await run.step({ release: 'first' });
  assertAnswer(late, 4, { status: 'stale_claim', state: 'inflight', attempt: 1, lease: 20, retryable: true });
  assertAnswer(await run.step({ release: 'second' }), 0, { status: 'done', attempt: 2 });
  assert.deepEqual(run.figures(), ['done', 2, 1, 1, 0]);
  assert.deepEqual(broken(run.records), []);
});

test('a row marked before sending has no lease left to tell', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue', { mode: 'mark_before' });
  const silent = await run.run('dispatch', { receiver: 'silent' });
  assertAnswer(silent, 2, { status: 'no_ack', state: 'done', effect: 'unknown', retryable: false });
  saysNoLease(run);
});

test('a row marked before sending is told as it is found, not as it was left', async (t) => {
  for (const receiver of ['silent', 'garbage']) {
    const run = trial(t);
    await run.run('init');
    await run.run('enqueue', { mode: 'mark_before' });
    const fault = { at: 'before-receiver-commit', role: 'receiver', action: 'hold' } as const;
    await run.run('dispatch', { receiver }, { label: 'held', fault });
    // Another program, which knows no rule of this lab.
    const db = new Database(fileOf(databaseDir(run.dir), 'sender'));
    db.exec(`UPDATE outbox SET state = 'blocked'`);
    db.close();
    assertAnswer(await run.step({ release: 'held' }), 2, { status: 'stale_claim', state: 'blocked' });
  }
});

test('a row in flight may be tried again only where the other side can recognise the repetition', async (t) => {
  for (const mode of ['idempotent', 'naive', 'external']) {
    const run = trial(t);
    await run.run('init');
    await run.run('enqueue', { mode });
    await run.run('claim');
    const sure = mode === 'idempotent';
    const decision = sure ? 'retry-same-key' : 'investigate';
    assertAnswer(await run.run('dispatch', {}, { now: 9 }), 4, {
      status: 'not_claimed',
      effect: 'unknown',
      decision,
      retryable: sure,
    });
    assert.equal(lab.assess(run.records).decision, decision);
  }
});

test('a receiver without receipts that says nothing: exit 4 tells the row, and nothing permits a retry', async (t) => {
  const run = trial(t);
  await run.run('init');
  await run.run('enqueue', { mode: 'naive' });
  const fault = { at: 'before-receiver-commit', role: 'receiver' } as const;
  const sent = await run.run('dispatch', {}, { fault });
  assertAnswer(sent, 4, { status: 'no_ack', state: 'inflight', decision: 'investigate', retryable: false });
  assert.equal(lab.assess(run.records).decision, 'investigate');
});
