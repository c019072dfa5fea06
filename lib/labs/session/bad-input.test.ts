/** Bad input: its exit code or outcome, one sentence, nothing half-made. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseDir } from '../../drill/engine.ts';
import { panel } from '../../evidence/model.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { assertExit, broken, CONNECT, call, LIST, outcome, Trial, trial } from './testing/trial.ts';

const COMMANDS = ['converse', 'reconcile', 'resolve', 'update-document', 'create-ticket', 'inspect'];

test('a directory without databases: 66 from every command, and none is created', async (t) => {
  const run = new Trial(tempDir(t));
  for (const command of COMMANDS) {
    const record = await run.run(command);
    assertExit(record, 66);
    assert.equal(record.executors[0]?.reply?.definite, true);
    assert.deepEqual(readdirSync(databaseDir(run.dir)), []);
  }
});

test('a file that is not a database: 66, and it is left as it was', async (t) => {
  const run = new Trial(tempDir(t));
  mkdirSync(databaseDir(run.dir), { recursive: true });
  for (const file of ['service.sqlite', 'client.sqlite']) {
    writeFileSync(join(databaseDir(run.dir), file), 'no database, but long enough to be looked at');
  }
  for (const command of COMMANDS) assertExit(await run.run(command), 66);
});

test('init never overwrites: 73, everything as before', async (t) => {
  const run = await trial(t);
  await run.run('update-document', { body: 'kept' });
  const before = JSON.stringify(run.evidence);
  assertExit(await run.run('init'), 73);
  assert.equal(JSON.stringify(run.evidence), before);
});

test('an init that died between its two files is completed; a service that was used is left alone', async (t) => {
  const run = await trial(t);
  const client = join(databaseDir(run.dir), 'client.sqlite');
  rmSync(client);
  assertExit(await run.run('reconcile'), 66);
  assertExit(await run.run('init'), 0);
  assertExit(await run.talk([CONNECT, LIST, call('op-1')]), 0);
  rmSync(client);
  const refused = await run.run('init');
  assertExit(refused, 73);
  assert.equal(refused.executors[0]?.reply?.definite, true);
  assert.ok(!existsSync(client));
  assert.equal(panel(run.evidence, 'target').rows.length, 2);
});

test('a service that is no database stands in the way of init and is left as it was: 73', async (t) => {
  const run = new Trial(tempDir(t));
  const file = join(databaseDir(run.dir), 'service.sqlite');
  mkdirSync(databaseDir(run.dir), { recursive: true });
  writeFileSync(file, 'no database, but long enough to be looked at');
  assertExit(await run.run('init'), 73);
  assert.deepEqual(readdirSync(databaseDir(run.dir)), ['service.sqlite']);
});

test('an action that is no action is refused before any process starts, with the place named', async (t) => {
  const run = await trial(t);
  const refused: [object, RegExp][] = [
    [{ do: 'shout' }, /actions\.0\.do.*there are connect, continue, list-tools/],
    [{ do: 'call', operation: 'op-1' }, /actions\.0\.source/],
    [{ do: 'call', operation: '', source: 's', title: 't' }, /actions\.0\.operation/],
    [{ do: 'connect', server: { command: '/bin/sh' } }, /actions\.0\.server.*"command"/],
    [{ do: 'connect', server: { answer: 'lies' } }, /actions\.0\.server\.answer.*there are normal, never/],
    [{ do: 'connect', stop: 'never' }, /actions\.0\.stop.*there are before-initialize/],
  ];
  for (const [action, sentence] of refused) {
    await assert.rejects(run.talk([action as never]), sentence);
  }
  await assert.rejects(run.talk([]), /actions/);
  await assert.rejects(run.talk([CONNECT, LIST, call('op-1'), call('op-1')]), /actions\.3\.as.*name op-1/);
  await assert.rejects(run.run('update-document', { expected: 1.5 }), /expected/);
  assert.equal(run.records.length, 1);
});

test('a program that is not there: no connection, exit code and standard error are told, nothing is uncertain', async (t) => {
  const run = await trial(t);
  const record = await run.talk([{ do: 'connect', as: 'open', server: { missing: true } }, call('op-1')]);
  assertExit(record, 3);
  assert.equal(outcome(record, 'open').why, 'no-connection');
  const server = outcome(record, 'open').server as { code: number; stderr: string };
  assert.equal(server.code, 1);
  assert.match(server.stderr, /no-such-server/);
  assert.equal(panel(run.evidence, 'target').rows.length, 1);
});

for (const answer of [
  'malformed',
  'other-version',
  'result-and-error',
  'neither',
  'batch',
  'oversized',
  'half',
]) {
  test(`a reply that is ${answer} completes nothing; the ticket is found by reconciliation`, async (t) => {
    const run = await trial(t);
    assertExit(await run.talk([{ do: 'connect', server: { answer } }, LIST, call('op-1')]), 2);
    assert.equal(run.row()?.cells.status, 'uncertain');
    assertExit(await run.run('reconcile'), 0);
    assert.equal(run.row()?.cells.status, 'reconciled');
    assert.deepEqual(broken(run.records), []);
  });
}

test('a recorded reply that does not exist is refused, and the conversation goes on', async (t) => {
  const run = await trial(t);
  const record = await run.talk([CONNECT, { do: 'deliver', as: 'late', reply: 'op-9' }, LIST, call('op-1')]);
  assert.equal(outcome(record, 'late').status, 'refused');
  assert.equal(outcome(record, 'late').definite, true);
  assert.equal(outcome(record, 'op-1').status, 'completed');
});

test('actions without a connection are refused for certain; nothing is recorded as in flight', async (t) => {
  const run = await trial(t);
  const actions = [LIST, call('op-1'), { do: 'ping' }, { do: 'cancel', request: 'x' }, { do: 'disconnect' }];
  const record = await run.talk(actions);
  assertExit(record, 3);
  const outcomes = Object.values(record.executors[0]?.reply?.outcomes ?? {});
  assert.deepEqual(new Set(outcomes.map((one) => (one as { why: string }).why)), new Set(['not-connected']));
  assert.equal(panel(run.evidence, 'operation').rows.length, 0);
});

test('a service that is gone is said to be gone: 66, nothing recorded, also where nothing is uncertain', async (t) => {
  const run = await trial(t);
  await run.step({ damage: 'delete-service' });
  const record = await run.talk([CONNECT, LIST, call('op-1')]);
  assertExit(record, 66);
  assert.equal(record.executors[0]?.reply?.definite, true);
  assert.equal(panel(run.evidence, 'operation').rows.length, 0);
});

test('a text of a megabyte is refused before it is sent', async (t) => {
  const run = await trial(t);
  await assert.rejects(run.talk([call('op-1', { title: 'x'.repeat(1024 * 1024) })]), /actions\.0\.title/);
});
