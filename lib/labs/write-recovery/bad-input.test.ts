/** Malformed input is refused in plain code, past the parent's schema as well, and leaves nothing behind. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DrillError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { databaseDir } from '../../drill/engine.ts';
import { checkArgs } from '../../drill/step-input.ts';
import { lab } from './manifest.ts';
import { APPROVE, assertSound, INIT, past, RUN, trial } from './testing/trial.ts';
import { DEFAULT_ACTION, DEFAULT_CONTEXT, RUNS, TICKETS } from './words.ts';

const huge = 'x'.repeat(1024 * 1024);
const { source: _source, ...withoutSource } = DEFAULT_ACTION;

const MALFORMED: [string, JsonObject][] = [
  ['a negative budget', { budget: -1 }],
  ['a fractional budget', { budget: 1.5 }],
  ['a huge budget', { budget: 1e12 }],
  ['a budget in words', { budget: '2' }],
  ['an empty tenant', { context: { ...DEFAULT_CONTEXT, tenant: '' } }],
  ['a context that lacks the policy version', { context: { tenant: 'a', principal: 'b', allowed: true } }],
  ['an action with a missing field', { action: withoutSource }],
  ['an action with a strange member', { action: { ...DEFAULT_ACTION, also: 1 } }],
  ['an action with a field of 1 MB', { action: { ...DEFAULT_ACTION, title: huge } }],
  ['an expectation that is no action', { expected: 'the same' }],
  ['a context with a strange member', { context: { ...DEFAULT_CONTEXT, also: 1 } }],
  ['an approval that is a number', { approval: 7 }],
  ['an approval without a digest', { approval: { tenant: 'team-a' } }],
  ['an empty run id', { run: '' }],
  ['a cancel in words', { cancel: 'yes' }],
];

test('malformed input ends with 65, definite, and nothing is recorded', async (t) => {
  const run = trial(t);
  await run.step(INIT);
  for (const [what, args] of MALFORMED) {
    const { code, reply, evidence } = await past(run, 'run', args);
    assert.equal(code, 65, what);
    assert.equal(reply?.error, 'malformed', what);
    assert.equal(reply?.definite, true, what);
    assert.deepEqual(
      evidence.panels.map((panel) => panel.rows.length),
      [0, 0, 0, 0],
      what,
    );
  }
});

test("the parent's schema refuses the same before a process is started", () => {
  for (const [what, args] of MALFORMED) {
    assert.throws(
      () => checkArgs(lab, 'run', args),
      (error) => error instanceof DrillError && error.exit === 65,
      what,
    );
  }
});

test('well-formed and not valid is recorded as failed, with 3', async (t) => {
  const run = trial(t);
  await run.step(INIT);
  const actions = [
    { ...DEFAULT_ACTION, tool: 'no_such_tool' },
    { ...DEFAULT_ACTION, source: '' },
    { ...DEFAULT_ACTION, title: 'x'.repeat(300) },
  ];
  for (const [index, action] of actions.entries()) {
    const record = await run.step({ label: 'run', command: 'run', args: { run: `run-${index}`, action } });
    assert.equal(record.executors[0]?.code, 3);
    assert.equal(run.cell(`team-a/run-${index}:ticket`, 'state'), 'failed');
  }
  assert.deepEqual(
    run.rows('events').map(({ cells }) => cells.kind),
    ['invalid_action', 'invalid_action', 'invalid_action'],
  );
  assertSound(run.records);
});

test('no databases: 66 and none is made; databases that are there: 73', async (t) => {
  const run = trial(t);
  const none = await past(run, 'run', {});
  assert.equal(none.code, 66);
  assert.deepEqual(
    none.evidence.files.map((file) => file.present),
    [false, false],
  );
  await run.step(INIT);
  assert.equal((await past(run, 'init', {})).code, 73);
});

test('an init that died between its two files is completed; a service that was used, or has other terms, is not', async (t) => {
  const run = trial(t);
  await run.step(INIT);
  const runs = join(databaseDir(run.dir), RUNS.file);
  rmSync(runs);
  assert.equal((await past(run, 'run', {})).code, 66);
  const other = await past(run, 'init', { lag: 3 });
  assert.deepEqual([other.code, other.reply?.definite, existsSync(runs)], [73, true, false]);
  assert.equal((await past(run, 'init', {})).code, 0);
  await run.steps(APPROVE, RUN);
  assert.equal(run.cell('team-a/run-1:ticket', 'state'), 'succeeded');
  rmSync(runs);
  assert.equal((await past(run, 'init', {})).code, 73);
  assert.equal(existsSync(runs), false);
});

test('a record without its service is no init that died, and is left alone: 73', async (t) => {
  const run = trial(t);
  await run.step(INIT);
  rmSync(join(databaseDir(run.dir), TICKETS.file));
  // No init leaves the record alone behind: it makes the service first.
  assert.equal((await past(run, 'init', {})).code, 73);
});
