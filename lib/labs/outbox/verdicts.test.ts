/** Cases that once had a wrong verdict: each has the right one, and a violated one where its safeguard is off. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import { lab } from './manifest.ts';
import { assertAnswer, broken, type Trial, trial } from './testing/trial.ts';

const HOLD = { at: 'after-claim', action: 'hold' } as const;
const KILLED = { at: 'after-receiver-commit', role: 'receiver', action: 'kill' } as const;
const WISH = { status: 'done', effect: 'unknown', decision: 'investigate', retryable: false };

async function begun(t: TestContext, mode: string, ...without: string[]): Promise<Trial> {
  const run = trial(t, { without });
  await run.run('init');
  await run.run('enqueue', { mode });
  return run;
}

const review = (conclusion: string, more: JsonObject = {}): JsonObject => ({
  conclusion,
  looked: 'the tickets',
  showed: 'what they show',
  by: 'Kim',
  ...more,
});

test('a done row and its response are never overwritten: without the fence a late worker does, and that is violated', async (t) => {
  for (const [without, expected] of [
    [[], []],
    [['attempt-fence'], ['final-states-stay']],
  ]) {
    const run = await begun(t, 'idempotent', ...(without as string[]));
    await run.run('dispatch', { receiver: 'garbage' }, { label: 'starter', fault: HOLD });
    await run.run('dispatch', {}, { now: 10 });
    await run.step({ release: 'starter' });
    assert.equal(run.row()?.cells.state, expected?.length ? 'blocked' : 'done');
    assert.deepEqual(
      broken(run.records).filter((id) => id === 'final-states-stay'),
      expected,
    );
  }
});

test('a second call that hides a first one says done, effect unknown, investigate, and ends with 2', async (t) => {
  const run = await begun(t, 'naive');
  assertAnswer(await run.run('dispatch', {}, { fault: KILLED }), 4, { decision: 'investigate' });
  assertAnswer(await run.run('dispatch', {}, { now: 10 }), 2, WISH);
  assertAnswer(await run.run('dispatch', {}, { now: 30 }), 2, { ...WISH, status: 'not_claimed' });
  assert.deepEqual(broken(run.records), ['done-means-one-effect', 'one-effect-per-intent']);
  assert.equal(lab.investigations?.(run.records)[0]?.operation, 'op-1');
});

test('a refused acknowledgement keeps the ticket that it knew, and no later reply hides it', async (t) => {
  const run = await begun(t, 'naive');
  await run.run('dispatch', {}, { label: 'replica-1', fault: HOLD });
  assertAnswer(await run.run('dispatch', {}, { now: 10 }), 2, WISH);
  const late = await run.step({ release: 'replica-1' });
  assertAnswer(late, 2, { ...WISH, status: 'stale_claim', state: 'done' });
  const kept = run.rows('events').find(({ key }) => key === 'sender/late/1')?.cells;
  assert.deepEqual([kept?.attempt, kept?.ticket], [1, 2]);
  assert.ok(!broken(run.records).includes('answers-are-true'));
});

test('a ticket made past the sender is not its own: blocked, and nothing is confirmed', async (t) => {
  const run = await begun(t, 'idempotent');
  await run.run('receive');
  const { effect, decision } = lab.assess(run.records);
  assert.deepEqual([effect, decision], ['unknown', 'investigate']);
  assertAnswer(await run.run('resolve', review('confirmed', { reference: 1 })), 3, { definite: true });
  assertAnswer(await run.run('dispatch'), 2, {
    state: 'blocked',
    effect: 'unknown',
    decision: 'investigate',
  });
  assertAnswer(await run.run('recover'), 2, { status: 'no_proof' });
  assert.deepEqual(broken(run.records), []);

  const off = await begun(t, 'idempotent', 'receipt-ownership');
  await off.run('receive');
  assertAnswer(await off.run('dispatch'), 0, { effect: 'confirmed' });
  assert.deepEqual(broken(off.records), ['answers-are-true', 'done-means-one-effect']);
});

test('recover ends doubt beside a receipt; without that rule it is violated', async (t) => {
  for (const without of [[], ['proof-ends-doubt']]) {
    const run = await begun(t, 'idempotent', ...without);
    await run.run('dispatch', { receiver: 'error' });
    assert.deepEqual([run.row()?.cells.state, lab.assess(run.records).decision], ['blocked', 'reconcile']);
    await run.run('recover');
    assert.equal(run.row()?.cells.state, without.length ? 'blocked' : 'done');
    assert.deepEqual(broken(run.records), without.length ? ['no-doubt-beside-proof'] : []);
  }
});

test('a late response is taken in by recover; the word unknown stays until then', async (t) => {
  const run = await begun(t, 'external');
  await run.run('dispatch', {}, { label: 'first', fault: HOLD });
  assertAnswer(await run.run('dispatch', {}, { now: 10 }), 2, { state: 'unknown' });
  assertAnswer(await run.run('resolve', review('absent')), 3, { definite: true });
  const late = { status: 'stale_claim', state: 'unknown', effect: 'confirmed', decision: 'reconcile' };
  assertAnswer(await run.step({ release: 'first' }), 2, late);
  assertAnswer(await run.run('resolve', review('absent')), 3, { definite: true });
  assertAnswer(await run.run('recover'), 0, { status: 'recovered', effect: 'confirmed', decision: 'none' });
  assert.deepEqual(run.figures(), ['done', 1, 0, 0, 1]);
  assert.deepEqual(broken(run.records), []);
});

test('a time-out and an error are not failures: with that rule off the reply is untrue and the retry a second ticket', async (t) => {
  for (const receiver of ['silent', 'error']) {
    const run = await begun(t, 'naive', 'doubt-is-not-failure');
    assertAnswer(await run.run('dispatch', { receiver }), 4, { status: 'failed', effect: 'absent' });
    await run.run('dispatch');
    assert.deepEqual(broken(run.records), [
      'answers-are-true',
      'done-means-one-effect',
      'one-effect-per-intent',
    ]);
  }
});

test('an attempt makes one call: a client library that repeats it by itself makes two tickets', async (t) => {
  for (const without of [[], ['one-call-per-attempt']]) {
    const run = await begun(t, 'external', ...without);
    await run.run('dispatch', { receiver: 'silent' });
    assert.deepEqual(run.figures(), ['unknown', 1, 0, 0, 1 + without.length]);
    assert.deepEqual(broken(run.records), without.length ? ['one-effect-per-intent'] : []);
  }
});

test('after absent the same key runs again, after confirmed it is settled, and a decision is a row of its own', async (t) => {
  const crash = { at: 'before-external-effect', role: 'receiver' } as const;
  const run = await begun(t, 'external');
  await run.run('dispatch', {}, { fault: crash });
  const decided = await run.run('resolve', review('absent'));
  assertAnswer(decided, 0, {
    status: 'resolved',
    effect: 'absent',
    decision: 'retry-same-key',
    state: 'unknown',
  });
  assertAnswer(await run.run('resolve', review('absent')), 0, { status: 'already_resolved' });
  assertAnswer(await run.run('dispatch'), 0, { status: 'done', effect: 'confirmed', decision: 'none' });
  assertAnswer(await run.run('resolve', review('void')), 3, { definite: true });
  assert.deepEqual(run.figures(), ['done', 2, 0, 0, 1]);

  const other = await begun(t, 'external');
  await other.run('dispatch', { receiver: 'silent' });
  assertAnswer(await other.run('resolve', review('confirmed')), 3, { definite: true });
  assertAnswer(await other.run('resolve', review('confirmed', { reference: 1 })), 0, { effect: 'confirmed' });
  assertAnswer(await other.run('dispatch', {}, { now: 20 }), 0, { status: 'not_claimed', state: 'unknown' });
  assert.deepEqual(other.figures(), ['unknown', 1, 0, 0, 1]);
  assert.deepEqual(lab.investigations?.(other.records), []);
  for (const one of [run, other]) assert.deepEqual(broken(one.records), []);
});

test('a decision against the receipt, a running lease or a living sender is refused', async (t) => {
  const run = await begun(t, 'idempotent');
  assertAnswer(await run.run('resolve', review('absent')), 3, { definite: true });
  await run.run('dispatch', {}, { label: 'held', fault: HOLD });
  assertAnswer(await run.run('resolve', review('void'), { now: 9 }), 3, { definite: true });
  assertAnswer(await run.run('resolve', review('absent'), { now: 10 }), 3, { definite: true });
  await run.step({ release: 'held' });
  const blocked = await begun(t, 'idempotent');
  await blocked.run('dispatch', { receiver: 'garbage' });
  for (const wrong of [review('absent'), review('confirmed', { reference: 2 })]) {
    assertAnswer(await blocked.run('resolve', wrong), 3, { definite: true });
  }
  assert.equal(blocked.rows('events').filter(({ cells }) => cells.event === 'decision').length, 0);

  const off = await begun(t, 'external', 'reviewed-decision');
  await off.run('dispatch', { receiver: 'silent' }, { label: 'held', fault: HOLD });
  await off.run('dispatch', {}, { now: 10 });
  await off.run('resolve', review('absent'));
  await off.run('dispatch');
  await off.step({ release: 'held' });
  assert.ok(broken(off.records).includes('one-effect-per-intent'));
});
