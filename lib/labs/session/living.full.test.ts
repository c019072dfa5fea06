/** Whose call it is, and how long it stays open: living clients, dead ones, and servers that nobody saw end. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseDir } from '../../drill/engine.ts';
import type { StepRecord } from '../../drill/model.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { assertExit, broken, CONNECT, call, LIST, outcome, type Trial, trial } from './testing/trial.ts';
import { CLIENT } from './words.ts';

const FLYING = [
  { at: 'after-send', action: 'hold' as const },
  { at: 'before-ticket-commit', role: 'server', action: 'hold' as const },
];
const TALK = [CONNECT, LIST, call('op-1')];

const reply = (record: StepRecord) => record.executors[0]?.reply ?? {};
const commits = (record: StepRecord) => record.trace.filter((line) => 'commit' in line).length;
const state = (run: Trial) => run.row('connection 1')?.cells.status;
const messages = (run: Trial) =>
  run.rows('events').filter(({ cells }) => cells.method === 'tools/call' && cells.direction === 'in');

/** The client is gone, and its server stays held before its commit. */
async function orphan(run: Trial): Promise<void> {
  await run.talk(TALK, { label: 'flying', fault: FLYING });
  assertExit(await run.step({ release: 'flying', action: 'kill', role: 'executor' }), 'SIGKILL');
}

test("what a living client has in flight is its own: others leave it, and the client's reply closes it", async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { label: 'flying', fault: FLYING });
  const early = await run.run('reconcile');
  assertExit(early, 2);
  assert.equal(reply(early).status, 'in-flight');
  assert.equal(commits(early), 0);
  const other = await run.talk([CONNECT]);
  assert.deepEqual(reply(other).recovered, []);
  assert.deepEqual([run.row()?.cells.status, state(run)], ['in-flight', 'ready']);
  const released = await run.step({ release: 'flying' });
  assertExit(released, 0);
  assert.equal(outcome(released, 'op-1').status, 'completed');
  assertExit(await run.run('reconcile'), 0);
  assert.equal(outcome(await run.talk(TALK), 'op-1').sent, false);
  assert.deepEqual(broken(run.records), []);
});

test('a reply that has arrived and is not recorded yet is still the affair of its client', async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { label: 'late', fault: { at: 'after-receive', action: 'hold' } });
  assertExit(await run.run('reconcile'), 2);
  const released = await run.step({ release: 'late' });
  assertExit(released, 0);
  assert.equal(outcome(released, 'op-1').status, 'completed');
  assert.equal(run.row()?.cells.status, 'completed');
  assert.deepEqual(broken(run.records), []);
});

test('a client that was taken for dead and wakes up changes nothing, and says what is recorded', async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { label: 'late', fault: { at: 'after-receive', action: 'hold' } });
  // As from another machine or container, where nothing is known of its process.
  const db = openDatabase(join(databaseDir(run.dir), CLIENT.file));
  db.prepare("UPDATE connections SET owner = '1 0 elsewhere'").run();
  db.close();
  assertExit(await run.run('reconcile'), 0);
  const late = await run.step({ release: 'late' });
  assertExit(late, 0);
  assert.deepEqual(outcome(late, 'op-1'), {
    status: 'reconciled',
    ticket: 1,
    arrival: 'whole',
    transport: 'stdio',
  });
  assert.deepEqual([run.row()?.cells.status, run.row()?.cells.ticket], ['reconciled', 1]);
  assert.deepEqual(
    messages(run).map(({ cells }) => cells.note),
    ['ignored_response'],
  );
  assert.deepEqual(broken(run.records), []);
});

test('a client works on its own file: whoever holds the original is no client of a copy', async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { label: 'flying', fault: FLYING });
  await run.step({ damage: 'restore-client', from: 'flying' });
  const found = await run.run('reconcile');
  assertExit(found, 2);
  assert.equal(reply(found).reason, 'no-ticket-yet');
  assert.equal(state(run), 'lost');
});

test('not found yet is no conclusion: the entry stays open, and the ticket is found when it comes', async (t) => {
  const run = await trial(t);
  await orphan(run);
  const early = await run.run('reconcile');
  assertExit(early, 2);
  const { status, reason, effect, decision } = reply(early);
  assert.deepEqual(
    [status, reason, effect, decision],
    ['uncertain', 'no-ticket-yet', 'unknown', 'retry-same-key'],
  );
  const same = await run.run('reconcile');
  assertExit(same, 2);
  assert.equal(commits(same), 0);
  await run.step({ release: 'flying' });
  assertExit(await run.run('reconcile'), 0);
  assert.equal(run.row()?.cells.status, 'reconciled');
  assert.deepEqual(broken(run.records), []);
});

test('sent again it stays open whatever comes of it, and is absent only once every server asked has ended', async (t) => {
  const run = await trial(t);
  await orphan(run);
  await run.run('reconcile');
  // A second server is asked, meets the lock of the first, and ends: the first is still there.
  const again = await run.talk(TALK);
  assertExit(again, 2);
  assert.equal(outcome(again, 'op-1').reason, 'protocol_error');
  const found = await run.run('reconcile');
  assertExit(found, 2);
  assert.deepEqual([reply(found).effect, reply(found).reason], ['unknown', 'no-ticket-yet']);
  await run.step({ release: 'flying' });
  const answered = await run.talk(TALK);
  assertExit(answered, 2);
  assert.equal(outcome(answered, 'op-1').reason, 'answered');
  assert.deepEqual(
    messages(run).map(({ cells }) => cells.note),
    ['protocol_error', 'answered'],
  );
  assertExit(await run.run('reconcile'), 0);
  assert.equal(run.evidence.truth.length, 1);
  assert.deepEqual(broken(run.records), []);
});

test('a client that dies with the call sent again leaves it uncertain, and lost', async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { fault: { at: 'before-send' } });
  await run.run('reconcile');
  await run.talk(TALK, { label: 'again', fault: { at: 'before-send', action: 'hold' } });
  const living = await run.run('reconcile');
  assertExit(living, 2);
  assert.equal(reply(living).definite, true);
  await run.step({ release: 'again', action: 'kill' });
  const next = await run.talk([CONNECT]);
  assert.deepEqual(reply(next).recovered, ['op-1']);
  assert.deepEqual([run.row()?.cells.status, run.row()?.cells.reason], ['uncertain', 'client-lost']);
  assert.deepEqual(broken(run.records), []);
});

test('what was not found is looked up again: an equal ticket of another client is not ours, and the same answer writes nothing', async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { fault: { at: 'before-ticket-commit', role: 'server', action: 'kill' } });
  assertExit(await run.run('reconcile'), 4);
  const same = await run.run('reconcile');
  assertExit(same, 4);
  assert.equal(reply(same).effect, 'absent');
  assert.equal(commits(same), 0);
  assertExit(await run.run('create-ticket'), 0);
  const found = await run.run('reconcile');
  assertExit(found, 2);
  assert.deepEqual([reply(found).reason, reply(found).decision], ['ticket-of-another', 'investigate']);
  assert.deepEqual(broken(run.records), []);
});
