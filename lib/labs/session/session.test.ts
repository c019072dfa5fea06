/** Rules of the lab that no single scenario shows whole. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { panel } from '../../evidence/model.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { createLedger, Ledger, type Operation } from './ledger.ts';
import { conclude } from './reconcile.ts';
import { judge } from './replies.ts';
import { assertExit, broken, CONNECT, call, LIST, outcome, trial } from './testing/trial.ts';
import { TOOL } from './words.ts';

const OPEN = { method: 'tools/call', name: 'op-1', status: 'pending', generation: 0 };
const NOW = { generation: 0, mustBeFresh: true, mustBeAbout: true };
const TEXT = [{ type: 'text', text: 'ticket 1' }];
const RESULT = { content: TEXT, structuredContent: { operation: 'op-1', ticket: 1 } };

test('a reply settles its own pending request and no other', () => {
  const reply = { jsonrpc: '2.0', id: '1:2', result: RESULT };
  assert.deepEqual(judge(reply, OPEN, NOW), { note: 'completed', settles: true, good: true });
  assert.equal(judge(reply, undefined, NOW).note, 'ignored_response');
  for (const status of ['completed', 'cancelled', 'failed', 'lost']) {
    assert.deepEqual(judge(reply, { ...OPEN, status }, NOW), {
      note: 'ignored_response',
      settles: false,
      good: false,
    });
  }
});

test('a result of the wrong shape settles nothing, an error of either kind settles without a result', () => {
  const judged = (result: object) => judge({ id: 1, result } as never, OPEN, NOW);
  for (const content of [undefined, 'text', [1], [{ text: 'no type' }]]) {
    assert.equal(judged({ ...RESULT, content }).settles, false, JSON.stringify(content));
  }
  assert.equal(judged({ ...RESULT, isError: true }).note, 'tool_error');
  assert.equal(judge({ id: 1, error: { code: 1, message: 'no' } }, OPEN, NOW).note, 'protocol_error');
});

test('reconciliation closes an entry on an equal ticket alone; "not found" is absent only when the server has ended', () => {
  const operation = {
    operation: 'op-1',
    tool: TOOL,
    source: 's',
    title: 'one',
    status: 'uncertain' as const,
    reason: null,
    epoch: 1,
    request: '1:2',
    ticket: null,
  };
  const ticket = { id: 7, key: 'op-1', request: '1:2', tool: TOOL, source: 's', title: 'one' };
  const facts = { serversEnded: true, requests: ['1:2'], compares: true, ours: true };
  const open = { ...facts, serversEnded: false };
  assert.equal(conclude(operation, ticket, open).status, 'reconciled');
  assert.equal(conclude(operation, { ...ticket, title: 'two' }, facts).decision, 'investigate');
  assert.equal(conclude(operation, { ...ticket, source: 'x' }, facts).status, 'uncertain');
  assert.equal(conclude({ ...operation, tool: 'other' }, ticket, facts).status, 'uncertain');
  assert.equal(conclude(operation, { ...ticket, request: null }, facts).reason, 'ticket-of-another');
  assert.equal(conclude(operation, { ...ticket, request: '2:2' }, facts).effect, 'unknown');
  assert.equal(conclude(operation, undefined, facts).effect, 'absent');
  assert.equal(conclude(operation, undefined, facts).status, 'not-found');
  assert.equal(conclude(operation, undefined, open).effect, 'unknown');
  assert.equal(conclude(operation, undefined, open).status, 'uncertain');
});

test('an operation goes in flight again only when reconciliation has found no ticket', (t) => {
  const dir = tempDir(t);
  createLedger(dir);
  const ledger = new Ledger(dir, new Set());
  t.after(() => ledger.close());
  const epoch = ledger.openConnection();
  const call = { operation: 'op-1', tool: 't', source: 's', title: 'one' };
  const message = { direction: 'out', transport: 'stdio', note: 'request', pending: [] } as const;
  const intent = (request: string) => ledger.intent(epoch, { ...call, request }, { ...message, pending: [] });
  assert.equal(intent('1:2'), true);
  assert.equal(intent('1:3'), false);
  ledger.disconnect(epoch, 'disconnected');
  assert.equal(intent('1:4'), false);
  assert.deepEqual(ledger.uncertain(), ['op-1']);
  const lost = ledger.operation('op-1') as Operation;
  const found = { status: 'not-found', reason: 'no-ticket', ticket: null } as const;
  assert.equal(ledger.conclude({ ...lost, request: '1:4' }, found), false);
  assert.equal(ledger.conclude(lost, found), true);
  assert.equal(intent('1:5'), true);
  assert.equal(ledger.operation('op-1')?.request, '1:5');
});

test('the reply of one operation never closes another, and a completed one is not sent again', async (t) => {
  const run = await trial(t);
  assertExit(await run.talk([CONNECT, LIST, call('op-1')]), 0);
  const again = await run.talk([CONNECT, LIST, call('op-1'), call('op-1', { as: 'other', title: 'Else' })]);
  assert.equal(outcome(again, 'op-1').sent, false);
  assert.equal(outcome(again, 'other').why, 'other-parameters');
  assert.equal(run.evidence.truth.length, 1);
});

test('a key that found no ticket is still the key of what was asked for: other parameters are refused', async (t) => {
  const run = await trial(t);
  await run.talk([CONNECT, LIST, call('op-1')], { fault: { at: 'before-send' } });
  assertExit(await run.run('reconcile'), 2);
  const other = await run.talk([CONNECT, LIST, call('op-1', { title: 'Else' })]);
  assert.equal(outcome(other, 'op-1').why, 'other-parameters');
  assert.equal(run.evidence.truth.length, 0);
  const again = await run.talk([CONNECT, LIST, call('op-1')]);
  assertExit(again, 2);
  assert.equal(outcome(again, 'op-1').reason, 'answered');
  assertExit(await run.run('reconcile'), 0);
  assert.deepEqual(broken(run.records), []);
});

test('an operation sent again by a living client meanwhile is never called confirmed', async (t) => {
  const run = await trial(t);
  await run.talk([CONNECT, LIST, call('op-1')], { fault: { at: 'before-send' } });
  assertExit(await run.run('reconcile'), 2);
  await run.talk([CONNECT, LIST, call('op-2')], { fault: { at: 'before-send' } });
  const held = { at: 'after-recovery', action: 'hold' as const };
  await run.run('reconcile', {}, { label: 'slow', fault: held });
  const flying = { at: 'after-send', action: 'hold' as const };
  await run.talk([CONNECT, LIST, call('op-1')], { label: 'living', fault: flying });
  const { executors } = await run.step({ release: 'slow' });
  const { status, effect, decision, definite } = executors[0]?.reply ?? {};
  assert.deepEqual(
    { code: executors[0]?.code, status, effect, decision, definite },
    { code: 2, status: 'uncertain', effect: 'unknown', decision: 'reconcile', definite: true },
  );
  await run.step({ release: 'living' });
  assert.equal(run.row()?.cells.reason, 'answered');
  assertExit(await run.run('reconcile'), 0);
  assert.deepEqual(broken(run.records), []);
});

test('two clients at once: the catalogue of one says nothing about the calls of the other', async (t) => {
  const run = await trial(t);
  // Held behind its fifth message: initialize and its reply, initialized, the listing and its reply.
  const listed = { at: 'after-message', hit: 5, action: 'hold' as const };
  await run.talk([CONNECT, LIST, call('op-1')], { label: 'held', fault: listed });
  assertExit(await run.talk([CONNECT]), 0);
  assertExit(await run.step({ release: 'held' }), 0);
  assert.equal(run.row()?.cells.status, 'completed');
  assert.deepEqual(broken(run.records), []);
});

test('an update that was accepted is returned to the same text, and refused to another under its name', async (t) => {
  const run = await trial(t);
  assertExit(await run.run('update-document', { body: 'one', expected: 1 }), 0);
  const again = await run.run('update-document', { body: 'one', expected: 1 });
  assert.equal(again.executors[0]?.reply?.status, 'already-accepted');
  const other = await run.run('update-document', { body: 'two', expected: 2 });
  assertExit(other, 3);
  assert.equal(other.executors[0]?.reply?.status, 'operation-conflict');
  assert.equal(other.executors[0]?.reply?.definite, true);
  assert.deepEqual(broken(run.records), []);
  assert.equal(panel(run.evidence, 'target').rows[0]?.cells.body, 'one');
});

const commitsOf = (record: StepRecord) => record.trace.filter((line) => 'commit' in line).length;

test('what is refused, or there already, commits nothing, and the trace shows no commit of it', async (t) => {
  const run = await trial(t);
  const steps: [string, JsonObject, number, number][] = [
    ['create-ticket', {}, 0, 1],
    ['create-ticket', {}, 0, 0],
    ['create-ticket', { title: 'Else' }, 3, 0],
    ['update-document', { operation: 'a', body: 'one', expected: 1 }, 0, 1],
    ['update-document', { operation: 'a', body: 'one', expected: 1 }, 0, 0],
    ['update-document', { operation: 'a', body: 'two', expected: 2 }, 3, 0],
    ['update-document', { operation: 'b', body: 'two', expected: 1 }, 3, 0],
  ];
  for (const [command, args, exit, commits] of steps) {
    const record = await run.run(command, args);
    assertExit(record, exit);
    assert.equal(commitsOf(record), commits, JSON.stringify(record.args));
  }
  assert.deepEqual(broken(run.records), []);
});

test('the target is compared too: a ticket proves nothing about a call of another tool', async (t) => {
  const run = await trial(t);
  const wrong = call('op-1', { tool: 'delete_everything' });
  assertExit(await run.talk([CONNECT, LIST, wrong]), 2);
  assertExit(await run.run('create-ticket'), 0);
  const found = await run.run('reconcile');
  assertExit(found, 2);
  assert.equal(found.executors[0]?.reply?.reason, 'ticket-differs');
  assert.equal(panel(run.evidence, 'receipts').rows.length, 0);
  assert.equal(outcome(await run.talk([CONNECT, LIST, call('op-1')]), 'op-1').why, 'other-parameters');
  assert.deepEqual(broken(run.records), []);
});

test('a call of another tool is no retry, also where no ticket was found', async (t) => {
  const run = await trial(t);
  await run.talk([CONNECT, LIST, call('op-1', { tool: 'nope' })]);
  assertExit(await run.run('reconcile'), 4);
  assert.equal(outcome(await run.talk([CONNECT, LIST, call('op-1')]), 'op-1').why, 'other-parameters');
  assert.deepEqual([run.row()?.cells.tool, run.row()?.cells.status], ['nope', 'not-found']);
});

test('a server ends with its client: no process is left after the client was killed', async (t) => {
  const run = await trial(t);
  const record = await run.talk([CONNECT, LIST, call('op-1')], {
    fault: { at: 'after-send', action: 'kill' },
  });
  assertExit(record, 'SIGKILL');
  const pids = new Set(record.trace.filter((line) => line.role === 'server').map((line) => line.pid));
  assert.ok(pids.size > 0);
  for (const pid of pids) {
    const file = `/proc/${pid}/status`;
    // A zombie has ended; only nobody has asked for its exit code yet.
    assert.ok(!existsSync(file) || /^State:\s+[ZX]/m.test(readFileSync(file, 'utf8')), file);
  }
});

test('two reconciliations at once: one conclusion, both truthful', async (t) => {
  const run = await trial(t);
  const fault = { at: 'after-ticket', role: 'server', action: 'kill' as const };
  await run.talk([CONNECT, LIST, call('op-1')], { fault });
  await run.run('reconcile', {}, { label: 'held', fault: { at: 'before-reconcile-commit', action: 'hold' } });
  const second = await run.run('reconcile');
  assertExit(second, 75);
  assert.equal(second.executors[0]?.reply?.definite, true);
  assertExit(await run.step({ release: 'held' }), 0);
  assertExit(await run.run('reconcile'), 0);
  assert.deepEqual(broken(run.records), []);
});

test('the log tells which transport delivered a message', async (t) => {
  const run = await trial(t);
  const actions = [CONNECT, LIST, call('op-1'), CONNECT, LIST, { do: 'deliver', as: 'late', reply: 'op-1' }];
  const record = await run.talk(actions);
  assert.equal(outcome(record, 'op-1').transport, 'stdio');
  assert.equal(outcome(record, 'late').transport, 'recorded');
  const recorded = panel(run.evidence, 'events').rows.filter((row) => row.cells.transport === 'recorded');
  assert.deepEqual(
    recorded.map(({ cells }) => [cells.id, cells.epoch, cells.note]),
    [['1:2', 2, 'ignored_response']],
  );
  const [request, reply] = run.rows('events').filter(({ cells }) => cells.method === 'tools/call');
  assert.equal(request?.cells.says, 'The client asks tools/call of op-1 (id 1:2, connection 1)');
  assert.equal(
    reply?.cells.says,
    'The server answers tools/call of op-1 naming ticket 1 (id 1:2, connection 1)',
  );
  assert.match(String(recorded[0]?.cells.says), /^A recorded reply .* delivered at message level/);
});

test('deleting a client record is noticed by the invariants, not taken for an empty one', async (t) => {
  const run = await trial(t);
  await run.talk([CONNECT, LIST, call('op-1')]);
  await run.step({ damage: 'delete-client' });
  assert.ok(broken(run.records).includes('sent-is-remembered'));
  assertExit(await run.run('reconcile'), 66);
});

test('a store that stays busy in the middle of a conversation ends it with 75, not definite, and the call is uncertain', async (t) => {
  const run = await trial(t);
  await run.talk([CONNECT, LIST, call('op-1')], {
    label: 'talk',
    fault: { at: 'after-send', action: 'hold' },
  });
  const fault = { at: 'before-connection-commit', action: 'hold' as const };
  await run.talk([CONNECT], { label: 'holder', fault });
  const busy = await run.step({ release: 'talk' });
  assertExit(busy, 75);
  assert.equal(busy.executors[0]?.reply?.definite, false);
  await run.step({ release: 'holder' });
  assert.deepEqual(broken(run.records), []);
  assertExit(await run.run('reconcile'), 0);
});
