/** Bad input: its exit code, one sentence, nothing changed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { canonicalJson } from '../../core/canonical.ts';
import { malformedProposals } from './testing/malformed.ts';
import { assertAnswer, assertSound, INIT, PLAN, RECOVER, RUN, type Trial, trial } from './testing/session.ts';

const SENTENCE = /^[A-Z"][^\n]*\.$/;
const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const WITH_DATABASE = [
  PLAN,
  { ...RUN, args: { proposal: lostProposal(), approve: true } },
  RECOVER,
  { label: 'drift', command: 'drift', args: { value: true } },
  { label: 'forget', command: 'forget' },
  { label: 'inspect', command: 'inspect' },
];

function lostProposal() {
  const found = malformedProposals.find(([kind]) => kind === 'was edited after the review');
  // The same proposal, unedited: sound, and planned against a database that is not here.
  return { ...(found?.[1] as object), change: { property: 'blockPublicAccess', value: true } };
}

async function refusesAll(run: Trial, error: string): Promise<void> {
  for (const spec of WITH_DATABASE) {
    const record = await run.step(spec);
    assertAnswer(record, 66, { error, definite: true });
    assert.match(String(record.executors[0]?.reply?.message), SENTENCE, spec.command);
  }
}

test('every kind of malformed proposal ends with 65, definite, in one sentence, nothing written', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN);
  const before = canonicalJson(run.evidence);
  const bytes = hash(run.database);
  for (const [kind, proposal, sentence] of malformedProposals) {
    const record = await run.step({ ...RUN, args: { proposal, approve: true } });
    assertAnswer(record, 65, { error: 'malformed', definite: true });
    assert.match(String(record.executors[0]?.reply?.message), sentence, kind);
    assert.match(String(record.executors[0]?.reply?.message), SENTENCE, kind);
    assert.equal(canonicalJson(run.evidence), before, kind);
  }
  assert.equal(hash(run.database), bytes);
  assertSound(run.records);
});

test('a proposal that is malformed and not approved is called malformed', async (t) => {
  const run = trial(t);
  const record = await run.steps(INIT, { ...RUN, args: { proposal: null } });
  assertAnswer(record, 65, { error: 'malformed', definite: true });
});

test('a directory without a database: 66 from every command, and none is created', async (t) => {
  const run = trial(t);
  await refusesAll(run, 'no-database');
  assert.equal(existsSync(run.database), false);
  assertSound(run.records);
});

for (const [kind, content] of [
  [
    'plain text',
    Buffer.from('not a database, though long enough to be taken for one at first sight '.repeat(4)),
  ],
  ['an empty file', Buffer.alloc(0)],
] as const) {
  test(`${kind} in the database's place: 66 from every command, left to the byte`, async (t) => {
    const run = trial(t);
    mkdirSync(dirname(run.database), { recursive: true });
    writeFileSync(run.database, content);
    await refusesAll(run, 'not-a-database');
    assert.deepEqual(readFileSync(run.database), content);
    const init = await run.step(INIT);
    assertAnswer(init, 73, { error: 'would-overwrite', definite: true });
    assert.deepEqual(readFileSync(run.database), content);
  });
}

test("somebody else's database: 66 from every command, left to the byte", async (t) => {
  const run = trial(t);
  mkdirSync(dirname(run.database), { recursive: true });
  const other = new Database(run.database);
  other.exec('CREATE TABLE operations (id); INSERT INTO operations VALUES (1)');
  other.close();
  const bytes = hash(run.database);
  await refusesAll(run, 'not-a-database');
  assert.equal(hash(run.database), bytes);
});

test('init never overwrites, and leaves no draft behind', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, RUN);
  const before = canonicalJson(run.evidence);
  assertAnswer(await run.step(INIT), 73, { error: 'would-overwrite', definite: true });
  assert.equal(canonicalJson(run.evidence), before);
  assert.deepEqual(
    readdirSync(dirname(run.database)).filter((name) => !name.startsWith('lab.sqlite')),
    [],
  );
  assertSound(run.records);
});

test('what is not approved is not run, and what is unknown is not forgotten', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN);
  const before = canonicalJson(run.evidence);
  const unapproved = { ...RUN, args: { proposal: '$proposal' } };
  assertAnswer(await run.step(unapproved), 3, { status: 'not-approved', definite: true });
  const forget = { label: 'forget', command: 'forget' };
  assertAnswer(await run.step(forget), 3, { status: 'nothing-recorded', definite: true });
  assert.equal(canonicalJson(run.evidence), before);
  assertSound(run.records);
});

test('no command reads the ground truth', () => {
  const folder = import.meta.dirname;
  const files = readdirSync(folder).filter((name) =>
    /^(answer|classify|commands|recover|run|store)\.ts$/.test(name),
  );
  assert.equal(files.length, 6);
  for (const file of files) {
    assert.doesNotMatch(readFileSync(`${folder}/${file}`, 'utf8'), /(FROM|JOIN|UPDATE)\s+ground_truth/, file);
  }
});

test('an inspection shows everything but the ground truth', async (t) => {
  const run = trial(t);
  const record = await run.steps(INIT, PLAN, RUN, { label: 'inspect', command: 'inspect' });
  const { status, ...shown } = record.executors[0]?.reply ?? {};
  const { truth, ...evidence } = run.evidence;
  assert.equal(status, 'inspected');
  assert.equal(truth.length, 1);
  assert.deepEqual(shown, evidence);
});

test('every refusal in a reply says whether it is definite', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, { ...RUN, label: 'crashed', fault: { at: 'after-intent' } });
  await run.steps(RECOVER, { label: 'drift', command: 'drift', args: { value: true } }, RUN, RECOVER, INIT);
  for (const { label, executors } of run.records) {
    const [end] = executors;
    if (end?.code === 0 || end?.reply === null) continue;
    assert.equal(typeof end?.reply?.definite, 'boolean', label);
  }
});
