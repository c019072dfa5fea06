import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { canonicalJson } from '../core/canonical.ts';
import { DrillError } from '../core/errors.ts';
import { panel } from '../evidence/model.ts';
import { startExecutor } from '../executor/launch.ts';
import { groupMembers } from '../executor/processes.ts';
import { getLab } from '../labs/registry.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { endWord } from './checks.ts';
import { databaseDir, RunSession, type RunSessionOptions, rawDir } from './engine.ts';
import { heldAfter } from './holding.ts';
import type { StepRecord, StepSpec } from './model.ts';

const lab = getLab('receipt');
const INIT: StepSpec = { label: 'init', command: 'init' };
const PLAN: StepSpec = { label: 'plan', command: 'plan', saves: 'proposal' };
const RUN: StepSpec = { label: 'run', command: 'run', args: { proposal: '$proposal', approve: true } };

function session(t: TestContext, options: Partial<RunSessionOptions> = {}) {
  const dir = tempDir(t);
  const run = new RunSession({ lab, dir, ...options });
  t.after(() => run.dispose());
  const records: StepRecord[] = [];
  const step = async (spec: StepSpec) => {
    const record = await run.runStep(spec, records);
    records.push(record);
    return record;
  };
  return { dir, run, records, step };
}

test('a crashed step records signal or code, trace, fired fault and the evidence that survived', async (t) => {
  for (const [way, code, signal] of [
    ['exit', 86, null],
    ['kill', null, 'SIGKILL'],
    ['abort', null, 'SIGABRT'],
  ] as const) {
    const { step } = session(t);
    await step(INIT);
    await step(PLAN);
    const record = await step({ ...RUN, fault: { at: 'after-target', action: way } });
    assert.equal(record.executors[0]?.code, code);
    assert.equal(record.executors[0]?.signal, signal);
    assert.equal(record.executors[0]?.reply, null);
    assert.deepEqual(record.fault.fired, record.fault.armed);
    assert.equal(record.trace.filter((line) => 'commit' in line).length, 2);
    assert.ok(record.evidence);
    assert.equal(panel(record.evidence, 'receipts').rows.length, 1);
  }
});

test('the raw files are kept with their -wal as they lay, and reading evidence does not take it away', async (t) => {
  const { step, dir } = session(t);
  await step(INIT);
  await step(PLAN);
  await step({ ...RUN, fault: { at: 'after-target', action: 'kill' } });
  assert.ok(existsSync(join(rawDir(dir, 3), 'lab.sqlite-wal')));
  assert.ok(existsSync(join(databaseDir(dir), 'lab.sqlite-wal')));
  assert.equal(
    canonicalJson(lab.readEvidence(rawDir(dir, 3))),
    canonicalJson(lab.readEvidence(databaseDir(dir))),
  );
});

test('a held executor outlives its step, is named, and ends with its release', async (t) => {
  const { step, run } = session(t);
  await step(INIT);
  await step(PLAN);
  const held = await step({ ...RUN, label: 'late', fault: { at: 'after-intent', action: 'hold' } });
  assert.deepEqual(held.executors[0]?.held, { at: 'after-intent', hit: 1 });
  assert.deepEqual(run.holding(), ['late']);
  const released = await step({ label: 'released', release: 'late' });
  assert.equal(released.executors[0]?.code, 0);
  assert.equal(released.executors[0]?.pid, held.executors[0]?.pid);
  assert.deepEqual(run.holding(), []);
  await assert.rejects(
    step({ label: 'twice', release: 'late' }),
    (error: DrillError) => error.code === 'stale',
  );
});

test('release with kill ends the held executor where it stands', async (t) => {
  const { step } = session(t);
  await step(INIT);
  await step(PLAN);
  await step({ ...RUN, label: 'late', fault: { at: 'before-target-commit', action: 'hold' } });
  const killed = await step({ label: 'killed', release: 'late', action: 'kill' });
  assert.equal(killed.executors[0]?.signal, 'SIGKILL');
  assert.ok(killed.evidence);
  assert.equal(panel(killed.evidence, 'receipts').rows.length, 0);
});

test('a killed executor has died in the step that kills it, and the child that stays held ends in a later one', async (t) => {
  const { step, run } = session(t, { lab: getLab('session') });
  await step({ label: 'init', command: 'init' });
  const fault = [
    { at: 'after-send', action: 'hold' },
    { at: 'before-ticket-commit', role: 'server', action: 'hold' },
  ] as const;
  const flying = await step({ label: 'flying', command: 'converse', fault: [...fault] });
  assert.equal(flying.executors[0]?.signal, null);
  const killed = await step({ label: 'killed', release: 'flying', action: 'kill', role: 'executor' });
  const { code, signal, held, endedBefore } = killed.executors[0] ?? {};
  assert.deepEqual({ code, signal, endedBefore }, { code: null, signal: 'SIGKILL', endedBefore: undefined });
  assert.deepEqual(held, { at: 'before-ticket-commit', hit: 1 });
  assert.deepEqual(heldAfter([flying, killed]), ['flying']);
  assert.deepEqual(run.holding(), ['flying']);
  const later = await step({ label: 'server-commits', release: 'flying' });
  assert.equal(endWord(later.executors[0]), 'ended-before');
  assert.equal(later.executors[0]?.signal, null);
  assert.deepEqual(run.holding(), []);
});

test('dispose leaves no process of a run behind', async (t) => {
  const { step, run } = session(t);
  await step(INIT);
  await step(PLAN);
  const held = await step({ ...RUN, fault: { at: 'after-intent', action: 'hold' } });
  const pid = held.executors[0]?.pid as number;
  assert.deepEqual(groupMembers(pid), [pid]);
  await run.dispose();
  assert.deepEqual(groupMembers(pid), []);
});

test('dispose ends what an executor has started, too: a held child does not outlive its parent', async (t) => {
  const run = new RunSession({ lab: getLab('outbox'), dir: tempDir(t) });
  t.after(() => run.dispose());
  const records: StepRecord[] = [];
  const hold = { at: 'before-receiver-commit', role: 'receiver', action: 'hold' } as const;
  for (const command of ['init', 'enqueue', 'dispatch']) {
    const armed = command === 'dispatch' ? { fault: hold } : {};
    records.push(await run.runStep({ label: command, command, ...armed }, records));
  }
  const group = records.at(-1)?.executors[0]?.pid ?? 0;
  const pids = groupMembers(group);
  assert.equal(pids.length, 2, 'sender and receiver');
  await run.dispose();
  const deadline = Date.now() + 5_000;
  while (groupMembers(group).length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const left = groupMembers(group);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  assert.deepEqual(left, []);
});

test('a race starts all at once: one change, every executor accounted for', async (t) => {
  const { step } = session(t);
  await step(INIT);
  await step(PLAN);
  const record = await step({ ...RUN, race: { executors: 6, at: 'before-intent' } });
  assert.equal(record.executors.length, 6);
  assert.ok(record.executors.every((end) => end.code === 0));
  assert.equal(record.evidence?.truth.length, 1);
});

test('a race of which only some executors start is ended, reaped and said so; nothing was asked of them', async (t) => {
  let started = 0;
  const pids: number[] = [];
  const { step } = session(t, {
    start: async () => {
      if (++started > 5) throw new DrillError('unavailable', 'No more processes.');
      const executor = await startExecutor();
      pids.push(executor.pid);
      return executor;
    },
  });
  await step(INIT);
  await step(PLAN);
  const record = await step({ ...RUN, race: { executors: 4, at: 'before-intent' } });
  assert.equal(record.state, 'failed');
  assert.match(record.error ?? '', /Only 3 of 4 executors could be started; they were ended/);
  for (const pid of pids) assert.deepEqual(groupMembers(pid), []);
  assert.equal(panel(record.evidence as NonNullable<typeof record.evidence>, 'operation').rows.length, 0);
});

test('an executor past its deadline is ended with its whole group', async (t) => {
  // An init under a stopped process never ends by itself.
  const stopped = session(t, {
    deadlineMs: 400,
    start: async () => {
      const executor = await startExecutor();
      executor.signal('SIGSTOP');
      return executor;
    },
  });
  const record = await stopped.step(INIT);
  assert.equal(record.executors[0]?.timedOut, true);
  assert.deepEqual(groupMembers(record.executors[0]?.pid as number), []);
});

test('two runs of the same steps give the same evidence to the byte', async (t) => {
  const evidence: string[] = [];
  for (const _ of [1, 2]) {
    const { step, records } = session(t);
    for (const spec of [INIT, PLAN, { ...RUN, fault: { at: 'after-target' } }]) await step(spec);
    await step({ label: 'recovered', command: 'recover', args: { operation: 'synthetic-finding-001' } });
    evidence.push(canonicalJson(records.map((record) => record.evidence)));
  }
  assert.equal(evidence[0], evidence[1]);
});

test('a step that cannot be asked for starts nothing', async (t) => {
  let started = 0;
  const { step, records } = session(t, {
    start: () => {
      started += 1;
      return startExecutor();
    },
  });
  const wrong: StepSpec[] = [
    { label: 'x', command: 'destroy' },
    { label: 'x', command: 'init', fault: { at: 'nowhere' } },
    { label: 'x', command: 'init', args: { path: '/etc' } },
    { label: 'x', command: 'run', args: { proposal: '$missing' } },
    { label: 'x' },
    { label: 'x', release: 'nothing' },
  ];
  for (const spec of wrong) await assert.rejects(step(spec), DrillError);
  assert.equal(started, 0);
  assert.equal(records.length, 0);
});

test('a released worker goes on at the time of its release', async (t) => {
  const outbox = getLab('outbox');
  const { step } = session(t, { lab: outbox });
  await step({ label: 'init', command: 'init', now: 0 });
  await step({ label: 'enqueue', command: 'enqueue', args: { mode: 'external' } });
  await step({ label: 'held', command: 'dispatch', fault: { at: 'after-claim', action: 'hold' } });
  const released = await step({ label: 'released', release: 'held', now: 7 });
  assert.ok(released.evidence);
  const events = panel(released.evidence, 'events').rows.map(({ cells }) => cells);
  assert.equal(events.at(-1)?.at, 7, JSON.stringify(events));
  assert.equal(events.find(({ event }) => event === 'claimed')?.at, 0);
});
