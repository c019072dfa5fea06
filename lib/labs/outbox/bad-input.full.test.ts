/** Bad input: its exit code, one clear sentence, nothing changed and nothing half-made. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonicalJson } from '../../core/canonical.ts';
import type { JsonObject } from '../../core/json.ts';
import { projectRoot } from '../../core/project-root.ts';
import { databaseDir } from '../../drill/engine.ts';
import { startExecutor } from '../../executor/launch.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { readEvidence } from './evidence.ts';
import { assertAnswer, trial } from './testing/trial.ts';

const SENTENCE = /^[A-Z"][^\n]*\.$/;
const PAYLOAD = { title: 't', body: 'b' };

function drill(dir: string, command: string, ...flags: string[]): { exit: number | null; said: string } {
  const entry = join(projectRoot(), 'bin', 'drill.mjs');
  const end = spawnSync(process.execPath, [entry, 'lab', 'outbox', command, '--dir', dir, ...flags], {
    encoding: 'utf8',
  });
  return { exit: end.status, said: end.stdout + end.stderr };
}

/** Sends a request past the parent's check, as a broken dashboard would. */
async function executor(dir: string, command: string, args: JsonObject, now = 0) {
  const started = await startExecutor();
  started.request({ lab: 'outbox', command, args, dir, control: null, now, without: [], owner: process.pid });
  return await started.end;
}

test('every bad argument on the command line ends with its own exit code and changes nothing', (t) => {
  const dir = tempDir(t);
  assert.equal(drill(dir, 'init').exit, 0);
  assert.equal(drill(dir, 'enqueue').exit, 0);
  const before = canonicalJson(readEvidence(dir));
  const file = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const cases: [exit: number, command: string, ...flags: string[]][] = [
    [65, 'enqueue', '--mode', 'exactly_once'],
    [65, 'enqueue', '--payload', '{"title":"t","body":NaN}'],
    [65, 'enqueue', '--payload', '{"title":"t","body":7}'],
    [65, 'enqueue', '--payload', '{"title":"t","body":"b","note":"x"}'],
    [65, 'enqueue', '--payload', file('long.json', JSON.stringify({ title: 't', body: 'x'.repeat(2_001) }))],
    [65, 'enqueue', '--key', 'k'.repeat(129)],
    [65, 'enqueue', '--key', ''],
    [65, 'enqueue', '--caller', 'c'.repeat(129)],
    [65, 'dispatch', '--now', '-1'],
    [65, 'dispatch', '--now', '0.5'],
    [65, 'dispatch', '--receiver', 'friendly'],
    [64, 'dispatch', '--fault', 'no-such-boundary'],
    [64, 'dispatch', '--fault', 'after-receiver-commit'],
    [64, 'dispatch', '--nonsense', 'x'],
    [64, 'send'],
    [3, 'dispatch', '--key', 'never-enqueued'],
    [3, 'claim', '--key', 'never-enqueued'],
    [3, 'enqueue', '--mode', 'naive'],
    [73, 'init'],
  ];
  for (const [exit, command, ...flags] of cases) {
    const end = drill(dir, command, ...flags);
    assert.equal(end.exit, exit, `${command} ${flags.join(' ').slice(0, 60)}: ${end.said}`);
    assert.notEqual(end.said.trim(), '');
  }
  assert.equal(canonicalJson(readEvidence(dir)), before);
});

test('an init that cannot make all three stores leaves none, and what was there as it was', async (t) => {
  const dir = tempDir(t);
  // A link to nowhere: not there when looked at, and still not to be written over.
  symlinkSync(join(dir, 'nowhere'), join(dir, 'external.sqlite'));
  const end = await executor(dir, 'init', {});
  assert.equal(end.code, 73);
  assert.equal(end.reply?.definite, true);
  assert.deepEqual(readdirSync(dir), ['external.sqlite']);
});

test('a key that begins with a hyphen is a key like any other', (t) => {
  const dir = tempDir(t);
  assert.equal(drill(dir, 'init').exit, 0);
  assert.equal(drill(dir, 'enqueue', '--key=-x', '--caller=--dir').exit, 0);
  const end = drill(dir, 'dispatch', '--key=-x');
  assert.equal(end.exit, 0, end.said);
  const [receipt] = readEvidence(dir).panels[2].rows;
  assert.equal(receipt?.key, '--dir/-x');
});

test('the commands check their bounds themselves: 65, definite, in one sentence', async (t) => {
  const run = trial(t);
  await run.run('init');
  const before = canonicalJson(run.evidence);
  const dir = databaseDir(run.dir);
  const cases: [command: string, args: JsonObject, now?: number][] = [
    ['enqueue', { payload: { ...PAYLOAD, body: 'x'.repeat(2_001) } }],
    ['enqueue', { payload: { ...PAYLOAD, note: 'x' } }],
    ['enqueue', { payload: { title: 't' } }],
    ['enqueue', { payload: null }],
    ['enqueue', { key: 'k'.repeat(129) }],
    ['enqueue', { key: 5 }],
    ['enqueue', { caller: '' }],
    ['enqueue', { mode: 'exactly_once' }],
    ['receive', { payload: { title: '', body: 'b' } }],
    ['dispatch', { receiver: 'friendly' }],
    ['dispatch', {}, -1],
    ['claim', {}, 0.5],
    ['snapshot', {}, Number.MAX_SAFE_INTEGER],
  ];
  for (const [command, args, now] of cases) {
    const end = await executor(dir, command, args, now);
    const what = `${command} ${JSON.stringify(args).slice(0, 60)} ${now ?? ''}`;
    assert.equal(end.code, 65, what);
    assert.deepEqual([end.reply?.error, end.reply?.definite], ['malformed', true], what);
    assert.match(String(end.reply?.message), SENTENCE, what);
  }
  assert.equal(canonicalJson(readEvidence(dir)), before);
});

test('without a database every command but init ends with 66, and creates none', async (t) => {
  const run = trial(t);
  for (const command of ['enqueue', 'claim', 'dispatch', 'receive', 'snapshot']) {
    assertAnswer(await run.run(command), 66, { error: 'no-database', definite: true });
  }
  assert.deepEqual(readdirSync(databaseDir(run.dir)), []);
});

test('a file that is no database is never treated as an empty one: 66, and left as it was', async (t) => {
  const run = trial(t);
  const file = join(databaseDir(run.dir), 'sender.sqlite');
  mkdirSync(databaseDir(run.dir), { recursive: true });
  writeFileSync(file, 'plain text, long enough to be read as a header of something\n'.repeat(40));
  const before = readFileSync(file, 'utf8');
  for (const command of ['enqueue', 'claim', 'dispatch']) {
    assertAnswer(await run.run(command), 66, { error: 'not-a-database', definite: true });
  }
  assertAnswer(await run.run('init'), 73, { error: 'would-overwrite', definite: true });
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.equal(existsSync(join(databaseDir(run.dir), 'receiver.sqlite')), false);
});

test('a delivery by hand: 3 for a conflict, 2 for corruption, 66 for a missing store, nothing changed', async (t) => {
  const run = trial(t);
  await run.run('init');
  assertAnswer(await run.run('receive'), 0, { status: 'received' });
  assertAnswer(await run.run('receive', { payload: PAYLOAD }), 3, { status: 'conflict', definite: true });
  await run.step({ damage: 'change-ticket' });
  assertAnswer(await run.run('receive'), 2, { status: 'corrupt', definite: true, retryable: false });
  assert.deepEqual(run.figures(), ['absent', 0, 1, 1, 0]);
  await run.step({ damage: 'delete-receiver' });
  assertAnswer(await run.run('receive'), 66, { error: 'no-database', definite: true });
});
