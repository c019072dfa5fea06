/** What a connection refuses: actions after its end, and replies that prove nothing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json } from '../../core/json.ts';
import { databaseDir } from '../../drill/engine.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { assertExit, broken, CONNECT, call, LIST, outcome, type Trial, trial } from './testing/trial.ts';
import { SERVICE } from './words.ts';

test('a connection that died by itself refuses what would be sent over it, and the next one works', async (t) => {
  const run = await trial(t);
  const after = [
    { ...LIST, as: 'list' },
    { do: 'ping', as: 'ping' },
    call('op-2'),
    { do: 'cancel', request: 'op-1', as: 'cancel' },
    { do: 'deliver', reply: 'op-1', as: 'deliver' },
  ];
  const record = await run.talk([
    { do: 'connect', server: { answer: 'half' } },
    LIST,
    call('op-1'),
    ...after,
    { ...CONNECT, as: 'again' },
    LIST,
    call('op-3'),
  ]);
  assertExit(record, 2);
  for (const { as } of after as { as: string }[]) {
    const { why, definite } = outcome(record, as);
    assert.deepEqual([why, definite], ['not-connected', true], as);
  }
  assert.equal(outcome(record, 'op-1').reason, 'disconnected');
  assert.equal(outcome(record, 'again').status, 'ready');
  assert.equal(outcome(record, 'op-3').status, 'completed');
  assert.equal(run.row('op-2'), undefined);
  assert.deepEqual(broken(run.records), []);
});

/** Puts bytes where the service keeps recorded replies, under a key of their own. */
function forge(run: Trial, replies: Record<string, string>): void {
  const db = openDatabase(join(databaseDir(run.dir), SERVICE.file));
  const insert = db.prepare("INSERT INTO replies (operation_key, request, bytes) VALUES (?, '', ?)");
  for (const [key, bytes] of Object.entries(replies)) insert.run(key, bytes);
  db.close();
}

const content = [{ type: 'text', text: 'ticket 1' }];
const result = (ticket: Json | undefined, operation = 'op-1') => ({
  content,
  structuredContent: { operation, ...(ticket === undefined ? {} : { ticket }) },
});
const message = (id: Json, members: object) => JSON.stringify({ jsonrpc: '2.0', id, ...members });
const good = { result: result(1) };

/** Delivered while the call 1:2 is open; the word that each is to have in the log. */
const WORTHLESS: Record<string, [string, string]> = {
  'no-content': [message('1:2', { result: { content } }), 'malformed_reply'],
  'no-ticket': [message('1:2', { result: result(undefined) }), 'malformed_reply'],
  'ticket-true': [message('1:2', { result: result(true) }), 'malformed_reply'],
  'ticket-half': [message('1:2', { result: result(1.5) }), 'malformed_reply'],
  'other-operation': [message('1:2', { result: result(77, 'op-9') }), 'ignored_response'],
  'id-with-more': [message('1:2:zzz', good), 'ignored_response'],
  'id-with-space': [message('1: 2', good), 'ignored_response'],
  'id-with-zero': [message('1:02', good), 'ignored_response'],
  'id-as-number': [message(2, good), 'ignored_response'],
  batch: [`[${message('1:2', good)}]`, 'malformed_reply'],
  'result-and-error': [message('1:2', { ...good, error: { code: 1, message: 'no' } }), 'malformed_reply'],
  'other-version': [JSON.stringify({ jsonrpc: '1.0', id: '1:2', ...good }), 'malformed_reply'],
  'no-json': ['no message at all', 'malformed_reply'],
};

test('a reply that proves nothing, or answers something else, completes no call, whoever delivers it', async (t) => {
  const run = await trial(t);
  forge(run, Object.fromEntries(Object.entries(WORTHLESS).map(([key, [bytes]]) => [key, bytes])));
  const record = await run.talk([
    { do: 'connect', server: { answer: 'never' } },
    LIST,
    call('op-1', { wait: false }),
    ...Object.keys(WORTHLESS).map((key) => ({ do: 'deliver', reply: key, as: key })),
    { do: 'ping', as: 'alive' },
  ]);
  assertExit(record, 2);
  for (const [key, [, word]] of Object.entries(WORTHLESS)) {
    assert.deepEqual(outcome(record, key), { status: word, transport: 'recorded' }, key);
  }
  assert.equal(outcome(record, 'alive').status, 'completed');
  assert.equal(run.row()?.cells.status, 'uncertain');
  assertExit(await run.run('reconcile'), 0);
  assert.deepEqual(broken(run.records), []);
});

test('the reply of the call itself, delivered at message level, completes it', async (t) => {
  const run = await trial(t);
  const own = { ...good.result, structuredContent: { operation: 'op-1', ticket: 1, request: '1:2' } };
  forge(run, { mine: message('1:2', { result: own }) });
  const record = await run.talk([
    { do: 'connect', server: { answer: 'never' } },
    LIST,
    call('op-1', { wait: false }),
    { do: 'deliver', reply: 'mine', as: 'mine' },
    { do: 'ping' },
  ]);
  assertExit(record, 0);
  assert.equal(outcome(record, 'mine').status, 'completed');
  assert.deepEqual(broken(run.records), []);
});
