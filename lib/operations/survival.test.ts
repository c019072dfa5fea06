/** docs/design.md, "A run survives the dashboard": owners are killed for real, at every commit of the store. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type CheckResult, panel } from '../evidence/model.ts';
import { isAlive } from '../executor/processes.ts';
import type { RunView } from './model.ts';
import { Host, inDirectory, until } from './testing/drive.ts';

const LOST_ACK = 'receipt/lost-ack';
/** `crashed`, the step whose executor dies between the target's commit and the ledger's. */
const SEQ = 3;

interface ProcessRow {
  seq: number;
  pid: number;
  start_time: string;
}

function look<T>(data: string, sql: string): T[] {
  const db = new Database(join(data, 'dashboard.sqlite'), { readonly: true });
  try {
    return db.prepare(sql).all() as T[];
  } finally {
    db.close();
  }
}

const processes = (data: string): ProcessRow[] =>
  look<ProcessRow>(data, 'SELECT seq, pid, start_time FROM processes ORDER BY seq, pid');

function assertSound(data: string): void {
  assert.deepEqual(look(data, 'PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(look(data, 'PRAGMA foreign_key_check'), []);
}

function assertNobodyLeft(data: string): void {
  const living = processes(data).filter((row) => isAlive(row.pid, row.start_time));
  assert.deepEqual(living, [], 'an executor outlived its run');
}

/** No step twice, none lost: one row a number, at most one executor each, one change for one intent. */
function assertOnce(data: string, view: RunView): void {
  const rows = look<{ seq: number; label: string }>(data, 'SELECT seq, label FROM steps ORDER BY seq');
  assert.deepEqual(
    rows.map((row) => row.seq),
    view.steps.map((_, index) => index + 1),
  );
  assert.deepEqual(
    rows.map((row) => row.label),
    view.scenario?.steps.map((step) => step.label),
  );
  const seqs = processes(data).map((row) => row.seq);
  assert.equal(new Set(seqs).size, seqs.length, 'a step had two executors');
  const last = view.steps.at(-1)?.evidence;
  assert.ok(last);
  assert.equal(last.truth.length, 1, 'one change for one intent');
  assert.equal(panel(last, 'receipts').rows.length, 1);
}

interface Moment {
  boundary: string;
  /** State of the step after the restart; null where its intent never was. */
  state: 'interrupted' | 'done' | null;
  /** Changes at the target when the owner died. */
  changes: number;
  /** Executors recorded for the step. */
  executors: number;
  /** At the end of the run: a step that never happened contradicts the scenario, one without a reply leaves it open. */
  verdict: CheckResult;
}

const MOMENTS: Moment[] = [
  { boundary: 'before-step-intent-commit', state: null, changes: 0, executors: 0, verdict: 'holds' },
  { boundary: 'after-step-intent', state: 'interrupted', changes: 0, executors: 0, verdict: 'unknown' },
  {
    boundary: 'before-step-processes-commit',
    state: 'interrupted',
    changes: 0,
    executors: 0,
    verdict: 'unknown',
  },
  { boundary: 'after-step-processes', state: 'interrupted', changes: 0, executors: 1, verdict: 'unknown' },
  {
    boundary: 'before-step-result-commit',
    state: 'interrupted',
    changes: 1,
    executors: 1,
    verdict: 'unknown',
  },
  { boundary: 'after-step-result', state: 'done', changes: 1, executors: 1, verdict: 'holds' },
];

for (const moment of MOMENTS) {
  inDirectory(`a server killed at ${moment.boundary} loses no step and repeats none`, async (dir) => {
    const data = join(dir, 'data');
    const first = new Host(data, {
      control: join(dir, 'control'),
      faults: [{ at: moment.boundary, hit: SEQ }],
    });
    await first.must('serve');
    const { run } = await first.must<{ run: string }>('start', { scenario: LOST_ACK });
    assert.equal(await first.ask('toEnd', { run, seq: 1 }), null, 'the server was to die inside the step');
    assert.equal((await first.end).signal, 'SIGKILL');

    const second = new Host(data);
    const { settled } = await second.must<{ settled: string[] }>('serve');
    assert.deepEqual(settled, moment.state === 'interrupted' ? [run] : []);
    assertNobodyLeft(data);
    const after = await second.run(run);
    assert.equal(after.running, null);
    assert.equal(after.steps[SEQ - 1]?.state ?? null, moment.state);
    assert.equal(after.steps.at(-1)?.evidence?.truth.length, moment.changes);
    assert.equal(processes(data).filter((row) => row.seq === SEQ).length, moment.executors);

    const { view } = await second.must<{ view: RunView }>('toEnd', { run, seq: after.nextSeq });
    assertOnce(data, view);
    assert.equal(view.verdict, moment.verdict);
    assertNobodyLeft(data);
    assertSound(data);
    await second.close();
  });
}

inDirectory(
  'a server killed while an executor works ends it at the next start; what was held is lost',
  async (dir) => {
    const data = join(dir, 'data');
    const first = new Host(data);
    await first.must('serve');
    const { run } = await first.must<{ run: string }>('start', { scenario: 'receipt/lock-held' });
    for (const seq of [1, 2, 3]) await first.must('advance', { run, seq });
    assert.deepEqual((await first.run(run)).holding, ['holding']);
    first.send('advance', { run, seq: 4 });
    // The second executor is at work once it has reached a boundary: from there it meets the held write lock.
    const trace = join(data, 'runs', run, 'control', '4', 'trace.ndjson');
    await until(() => existsSync(trace) && readFileSync(trace, 'utf8').includes('boundary'));
    await first.kill();

    const second = new Host(data);
    await second.must('serve');
    assertNobodyLeft(data);
    const view = await second.run(run);
    assert.equal(view.steps[3]?.state, 'interrupted');
    assert.equal(view.lost, true);
    assert.deepEqual(view.holding, []);
    const refused = await second.ask('advance', { run, seq: view.nextSeq });
    assert.equal(refused?.code, 'refused');
    assert.match(
      refused?.error ?? '',
      /cannot go on.*held process was lost.*Branch after step "plan", or start a new run/,
    );
    const fresh = await second.must<{ run: string }>('reset', run);
    const { view: again } = await second.must<{ view: RunView }>('toEnd', { run: fresh.run, seq: 1 });
    assert.equal(again.verdict, 'holds');
    assertSound(data);
    await second.close();
  },
);

inDirectory('a second server on the same data directory says so and is none', async (dir) => {
  const first = new Host(dir);
  await first.must('serve');
  const second = new Host(dir);
  const refused = await second.ask('serve');
  assert.equal(refused?.code, 'busy');
  assert.match(refused?.error ?? '', new RegExp(`process ${first.child.pid}\\) already serves`));
  await first.kill();
  await second.close();
  const third = new Host(dir);
  await third.must('serve');
  await third.close();
});

inDirectory('a server leaves the step of a living command line alone, until that is dead', async (dir) => {
  const data = join(dir, 'data');
  const boundary = 'after-step-processes';
  const line = new Host(data, {
    control: join(dir, 'control'),
    faults: [{ at: boundary, hit: SEQ, action: 'hold' }],
  });
  const { run } = await line.must<{ run: string }>('start', { scenario: LOST_ACK });
  line.send('toEnd', { run, seq: 1 });
  await line.held(boundary);

  const server = new Host(data);
  assert.deepEqual((await server.must<{ settled: string[] }>('serve')).settled, []);
  const beside = await server.run(run);
  assert.deepEqual(beside.running, { seq: SEQ, label: 'crashed', waiting: false });
  const repeated = await server.must<{ started: boolean }>('advance', { run, seq: SEQ });
  assert.equal(repeated.started, false);
  assert.equal((await server.ask('advance', { run, seq: SEQ + 1 }))?.code, 'busy');
  assert.equal((await server.ask('delete', run))?.code, 'busy');

  line.release(boundary, SEQ);
  const { ok } = (await line.answer<{ view: RunView }>()) ?? {};
  assert.equal(ok?.view.verdict, 'holds');
  assertOnce(data, await server.run(run));

  const { run: other } = await line.must<{ run: string }>('start', { scenario: 'receipt/late-executor' });
  for (const seq of [1, 2, 3]) await line.must('advance', { run: other, seq });
  await line.kill();
  const settled = await server.run(other);
  assert.equal(settled.lost, true, 'a server notices a dead command line without a restart');
  assertNobodyLeft(data);
  await server.close();
});
