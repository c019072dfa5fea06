/** Reviewed decisions: a row and a commit of their own, never against evidence, and the way out of the uncertain set. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '../../core/canonical.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { lab } from './manifest.ts';
import { assertExit, broken, CONNECT, call, LIST, outcome, type Trial, trial } from './testing/trial.ts';

const TALK = [CONNECT, LIST, call('op-1')];
const reply = (record: StepRecord) => record.executors[0]?.reply ?? {};
const decide = (run: Trial, conclusion: string, more: JsonObject = {}, step: object = {}) =>
  run.run(
    'resolve',
    { conclusion, looked: 'the tickets', showed: 'what is there', by: 'Ada', ...more },
    step,
  );
const decisions = (run: Trial) => run.rows('events').filter(({ key }) => key.startsWith('decision/'));

async function refused(run: Trial, conclusion: string, status: string, more: JsonObject = {}): Promise<void> {
  const before = canonicalJson(run.evidence.panels as never);
  const record = await decide(run, conclusion, more);
  assertExit(record, 3);
  assert.deepEqual([reply(record).status, reply(record).definite], [status, true]);
  assert.equal(canonicalJson(run.evidence.panels as never), before);
}

/** The call was never sent, and another client's equal ticket lies under the key. */
async function taken(run: Trial): Promise<void> {
  await run.talk(TALK, { fault: { at: 'before-send' } });
  await run.run('create-ticket');
  assertExit(await run.run('reconcile'), 2);
  assert.equal(run.row()?.cells.reason, 'ticket-of-another');
}

test('an operation without doubt, unknown or under way is not decided', async (t) => {
  const run = await trial(t);
  await refused(run, 'absent', 'unknown-operation');
  await run.talk(TALK, { fault: { at: 'before-send' } });
  await refused(run, 'absent', 'under-way');
  assertExit(await run.run('reconcile'), 2);
  assertExit(await decide(run, 'absent'), 0);
  await refused(run, 'absent', 'nothing-to-resolve');
  const again = await run.talk(TALK);
  assert.equal(outcome(again, 'op-1').status, 'completed');
  await refused(run, 'absent', 'nothing-to-resolve');
  assert.equal(decisions(run).length, 1);
  assert.deepEqual(broken(run.records), []);
});

test("another client's equal ticket confirms nothing; after void nothing is sent, and the investigation is closed", async (t) => {
  const run = await trial(t);
  await taken(run);
  assert.deepEqual(
    lab.investigations?.(run.records).map(({ operation }) => operation),
    ['op-1'],
  );
  assert.equal(lab.assess(run.records).decision, 'investigate');
  await refused(run, 'confirmed', 'contradicted', { reference: 1 });
  await refused(run, 'confirmed', 'contradicted');
  assertExit(await decide(run, 'void'), 0);
  assert.deepEqual(lab.investigations?.(run.records), []);
  const again = await run.talk(TALK);
  assertExit(again, 3);
  assert.equal(outcome(again, 'op-1').why, 'void');
  assertExit(await run.run('reconcile'), 0);
  assert.deepEqual([run.row()?.cells.status, run.evidence.truth.length], ['void', 1]);
  assert.deepEqual(broken(run.records), []);
});

test("a call that is answered with another client's ticket is not completed", async (t) => {
  const run = await trial(t);
  await run.run('create-ticket');
  const record = await run.talk(TALK);
  assertExit(record, 2);
  assert.deepEqual([reply(record).effect, reply(record).decision], ['unknown', 'investigate']);
  assert.equal(outcome(record, 'op-1').reason, 'ticket-of-another');
  assert.deepEqual(broken(run.records), []);
});

test('a ticket of our own that was altered is confirmed by its number, and neither absent nor void', async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { fault: { at: 'after-ticket', role: 'server', action: 'kill' } });
  await run.step({ damage: 'change-tickets' });
  const found = await run.run('reconcile');
  assert.deepEqual([reply(found).reason, reply(found).decision], ['ticket-differs', 'investigate']);
  assert.equal(lab.next(run.evidence, 0, {}, run.records), null);
  await refused(run, 'absent', 'contradicted');
  await refused(run, 'void', 'contradicted');
  await refused(run, 'confirmed', 'contradicted', { reference: 7 });
  assertExit(await decide(run, 'confirmed', { reference: 1 }), 0);
  assert.deepEqual([run.row()?.cells.status, run.row()?.cells.ticket], ['reconciled', 1]);
  assert.deepEqual(broken(run.records), ['final-states-stay']);
});

test('a death before the decision is committed leaves none, one after it leaves the decision', async (t) => {
  for (const [at, count] of [
    ['before-decision-commit', 0],
    ['after-decision', 1],
  ] as const) {
    const run = await trial(t);
    await taken(run);
    const record = await decide(run, 'void', {}, { fault: { at, action: 'kill' } });
    assert.equal(record.fault.fired.length, 1);
    assert.equal(decisions(run).length, count);
    assert.equal(run.row()?.cells.status, count === 0 ? 'uncertain' : 'void');
    assert.deepEqual(broken(run.records), []);
  }
});

test('an effect that the record does not hold is investigated, with exit 2', async (t) => {
  const run = await trial(t);
  await run.talk(TALK, { fault: { at: 'after-ticket', role: 'server', action: 'kill' } });
  await run.step({ damage: 'restore-client', from: 'step-1' });
  const found = await run.run('reconcile');
  assertExit(found, 2);
  const { effect, decision } = lab.assess(run.records);
  assert.deepEqual([reply(found).effect, reply(found).decision], [effect, decision]);
  assert.deepEqual([effect, decision], ['unknown', 'investigate']);
});
