import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeStore, store } from '#db/open.ts';
import { processesOf } from '#db/processes.ts';
import { updateSummary } from '#db/runs.ts';
import type { StepRecord } from '../drill/model.ts';
import { getScenario } from '../drill/scenario.ts';
import { getLab } from '../labs/registry.ts';
import { type AddStep, addStep } from './add-step.ts';
import { advanceRun } from './advance-run.ts';
import { catalogue } from './catalogue.ts';
import { deleteRun } from './delete-run.ts';
import { environment, fileSystemKind, hasWalResetDefect } from './environment.ts';
import { getRun } from './get-run.ts';
import { guardSettings, refusal, unreadable } from './guard.ts';
import { listInvestigations, ownInvestigation } from './list-investigations.ts';
import { listRuns } from './list-runs.ts';
import { live } from './live.ts';
import { loadRun, summaryOf } from './load-run.ts';
import { predict } from './predict.ts';
import { resetRun } from './reset-run.ts';
import { runToEnd } from './run-to-end.ts';
import { Slots } from './slots.ts';
import { startRun } from './start-run.ts';
import { inDirectory } from './testing/drive.ts';

const LOST_ACK = 'receipt/lost-ack';

/** A test on a data directory of its own, in this process. */
function inStore(name: string, work: (dir: string) => Promise<void>): void {
  inDirectory(name, async (dir) => {
    process.env.DRILL_DATA_DIR = dir;
    try {
      await work(dir);
    } finally {
      closeStore(dir);
      delete process.env.DRILL_DATA_DIR;
    }
  });
}

const code = (expected: string) => (error: Error & { code?: string; definite?: boolean }) =>
  error.code === expected && error.definite === true;

const entryOf = async (id: string) =>
  (await catalogue()).flatMap((lab) => lab.scenarios).find((one) => one.id === id);

inStore('a run to its end is judged, listed, and only then told of by the catalogue', async () => {
  const { run } = await startRun({ scenario: LOST_ACK });
  await advanceRun({ run, seq: 1 });
  const before = await entryOf(LOST_ACK);
  assert.deepEqual([before?.tried, before?.decision, before?.counterexample], [true, null, null]);
  const { view } = await runToEnd({ run, seq: 2 });
  assert.equal(view.verdict, 'holds');
  assert.equal(view.next, null);
  const after = await entryOf(LOST_ACK);
  assert.deepEqual([after?.finished, after?.decision, after?.counterexample], [true, view.decision, false]);
  const { runs, total } = await listRuns({ verdict: 'holds', finished: true });
  assert.deepEqual([runs[0]?.id, runs[0]?.stepsDone, total], [run, view.steps.length, 1]);
  assert.equal((await listRuns({ verdict: 'violated' })).total, 0);
  assert.ok((runs[0]?.diskBytes ?? 0) > 0);
  await assert.rejects(advanceRun({ run, seq: view.nextSeq }), code('stale'));
});

inStore('a double click, a repeated call and a stale number start nothing', async () => {
  const { run } = await startRun({ scenario: LOST_ACK });
  const twice = await Promise.all([advanceRun({ run, seq: 1 }), advanceRun({ run, seq: 1 })]);
  assert.deepEqual(
    twice.map((outcome) => outcome.started),
    [true, false],
  );
  assert.deepEqual(twice[0]?.view.steps, twice[1]?.view.steps);
  assert.equal((await advanceRun({ run, seq: 1 })).started, false);
  assert.equal(processesOf(store(), run).length, 1);
  await assert.rejects(advanceRun({ run, seq: 7 }), code('stale'));
  await assert.rejects(advanceRun({ run, seq: 0 }), code('usage'));
  assert.equal((await getRun(run)).steps.length, 1);
});

inStore(
  'a repeated call for the last step of a run returns its result, though nothing comes after it',
  async () => {
    const { run } = await startRun({ scenario: 'receipt/not-approved' });
    const { view } = await runToEnd({ run, seq: 1 });
    const again = await advanceRun({ run, seq: view.steps.length });
    assert.equal(again.started, false);
    assert.deepEqual(again.view.steps, view.steps);
    await assert.rejects(advanceRun({ run, seq: view.steps.length + 1 }), /had its last step/);
  },
);

inStore('only an id leads to a run, and only to one below the data directory', async (dir) => {
  await store();
  for (const id of ['../../etc', 'r/../r', '', `${'r'.repeat(21)}`, '..']) {
    await assert.rejects(getRun(id), code('usage'), id);
    await assert.rejects(advanceRun({ run: id, seq: 1 }), code('usage'), id);
    await assert.rejects(deleteRun(id), code('usage'), id);
  }
  await assert.rejects(getRun('r000000000123456789ab'), code('not-found'));
  const { run } = await startRun({ scenario: LOST_ACK });
  const outside = join(dir, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), '');
  symlinkSync(outside, join(dir, 'runs', run));
  await assert.rejects(deleteRun(run), code('refused'));
  assert.ok(existsSync(join(outside, 'kept')), 'a link led out of the data directory');
});

inStore('free play runs what the lab knows, names its steps, and takes a run off its scenario', async () => {
  const { run } = await startRun({ lab: 'receipt' });
  await addStep({ run, seq: 1, step: { command: 'init' } });
  for (const [step, why] of [
    [{ command: 'rm' }, 'usage'],
    [{ command: 'init', args: { path: '/' } }, 'usage'],
    [{ command: 'drift', args: { value: 'maybe' } }, 'malformed'],
    [{ command: 'init', fault: { at: 'nowhere' } }, 'usage'],
    [{ command: 'init', shell: 'true' }, 'usage'],
    [{ damage: 'burn' }, 'usage'],
    [{ release: 'init' }, 'stale'],
    [{}, 'usage'],
  ] as const) {
    await assert.rejects(
      addStep({ run, seq: 2, step: step as AddStep['step'] }),
      code(why),
      JSON.stringify(step),
    );
  }
  assert.equal((await getRun(run)).nextSeq, 2, 'a refused step left something behind');
  await addStep({ run, seq: 2, step: { command: 'plan', saves: 'proposal' } });
  const fault = { at: 'after-target', action: 'kill' as const };
  const args = { proposal: '$proposal', approve: true };
  const { view } = await addStep({ run, seq: 3, step: { command: 'run', args, fault } });
  assert.equal(view.steps[2]?.executors[0]?.signal, 'SIGKILL');
  const again = await addStep({ run, seq: 4, step: { command: 'run', args } });
  assert.deepEqual(
    again.view.steps.map((step) => step.label),
    ['init', 'plan', 'run', 'run-2'],
  );
  assert.equal(again.view.verdict, 'holds');

  const { run: led } = await startRun({ scenario: LOST_ACK });
  await advanceRun({ run: led, seq: 1 });
  const departed = await addStep({ run: led, seq: 2, step: { command: 'inspect' } });
  assert.deepEqual([departed.view.scenario, departed.view.next], [null, null]);
});

inStore('a prediction is locked with its first answer and closed once its step has begun', async () => {
  const { run } = await startRun({ scenario: LOST_ACK });
  for (const seq of [1, 2, 3]) await advanceRun({ run, seq });
  await assert.rejects(predict({ run, seq: 5, value: 1 }), code('stale'));
  await assert.rejects(predict({ run, seq: 4, value: 'perhaps' }), code('malformed'));
  await predict({ run, seq: 4, value: 'investigate' });
  await predict({ run, seq: 4, value: 'investigate' });
  await assert.rejects(predict({ run, seq: 4, value: 'reconcile' }), code('refused'));
  await advanceRun({ run, seq: 4 });
  await predict({ run, seq: 5, value: null });
  const { view } = await advanceRun({ run, seq: 5 });
  assert.deepEqual(view.predictions, [
    { seq: 4, value: 'investigate' },
    { seq: 5, value: null },
  ]);
});

inStore('reset begins the same anew and leaves the old run; delete takes row and directory', async (dir) => {
  const { run } = await startRun({ scenario: LOST_ACK, without: ['receipt-before-retry'] });
  await advanceRun({ run, seq: 1 });
  const { run: fresh } = await resetRun(run);
  const view = await getRun(fresh);
  assert.deepEqual(
    [view.scenario?.id, view.without, view.steps.length],
    [LOST_ACK, ['receipt-before-retry'], 0],
  );
  await deleteRun(run);
  assert.equal(existsSync(join(dir, 'runs', run)), false);
  await assert.rejects(getRun(run), code('not-found'));
  assert.equal((await listRuns()).total, 1);
  await assert.rejects(startRun({ scenario: 'receipt/nothing' }), code('not-found'));
  await assert.rejects(startRun({ scenario: LOST_ACK, without: ['gravity'] }), code('usage'));
});

inStore('a step without a free place waits in line, the run says so, and then it runs', async () => {
  const { run } = await startRun({ scenario: LOST_ACK });
  const giveBack = await live().slots.take(Number.MAX_SAFE_INTEGER);
  const step = advanceRun({ run, seq: 1 });
  let view = await getRun(run);
  while (!view.running) view = await getRun(run);
  assert.deepEqual(view.running, { seq: 1, label: 'init', waiting: true });
  assert.equal(processesOf(store(), run).length, 0);
  giveBack();
  assert.equal((await step).view.steps[0]?.state, 'done');
});

test('places are given first come first served, never more than there are', async () => {
  const slots = new Slots(2);
  const order: string[] = [];
  const a = await slots.take(1);
  const b = await slots.take(1);
  const taken = async (name: string, executors: number) => {
    const give = await slots.take(executors);
    order.push(name);
    return give;
  };
  const race = taken('race', 8);
  const late = taken('late', 1);
  a();
  b();
  const giveRace = await race;
  assert.deepEqual(order, ['race']);
  giveRace();
  await late;
  assert.deepEqual(order, ['race', 'late']);
});

inStore('the environment says what is in force and can be trusted', async (dir) => {
  const { facts, status } = await environment();
  const fact = (id: string) => facts.find((one) => one.id === id);
  assert.notEqual(status, 'fail', JSON.stringify(facts));
  assert.match(fact('pragmas')?.value ?? '', /journal_mode=wal synchronous=2 foreign_keys=1/);
  assert.equal(fact('data-directory')?.value, dir);
});

test('SQLite versions with the WAL-reset defect are told from those without', () => {
  const bad = ['3.44.5', '3.45.0', '3.50.6', '3.51.0', '3.51.2', '3.52.0', '3.43.9'];
  const good = ['3.44.6', '3.50.7', '3.51.3', '3.53.0', '3.54.1', '4.0.0'];
  assert.deepEqual(
    bad.filter((version) => !hasWalResetDefect(version)),
    [],
  );
  assert.deepEqual(good.filter(hasWalResetDefect), []);
});

test('the file system is that of the deepest mount point above the path', () => {
  const info = [
    '1 0 8:1 / / rw - ext4 /dev/a rw',
    '2 1 0:5 / /mnt/my\\040share rw shared:1 - nfs4 server:/ rw',
    '3 1 0:6 / /mnt rw - tmpfs tmpfs rw',
  ].join('\n');
  assert.equal(fileSystemKind('/mnt/my share/data', info), 'nfs4');
  assert.equal(fileSystemKind('/mnt/other', info), 'tmpfs');
  assert.equal(fileSystemKind('/mntother', info), 'ext4');
});

test('a request under a foreign name or from a foreign page is refused', () => {
  const local = guardSettings({});
  const ask = (
    method: string,
    host: string | null,
    origin: string | null = null,
    site: string | null = null,
  ) => refusal({ method, host, origin, site }, local) === null;
  assert.ok(ask('GET', '127.0.0.1:3000'));
  assert.ok(ask('GET', 'localhost:3000'));
  assert.ok(ask('GET', '[::1]:3000'));
  assert.ok(ask('POST', '127.0.0.1:3000', 'http://127.0.0.1:3000'));
  assert.ok(ask('POST', '127.0.0.1:3000'));
  for (const host of [
    null,
    '',
    'evil.example',
    'evil.example:3000',
    '10.0.0.1',
    'x@127.0.0.1',
    '127.0.0.1.evil.example',
  ]) {
    assert.equal(ask('GET', host), false, String(host));
  }
  for (const origin of ['http://evil.example', 'null', 'http://localhost:3000', 'http://127.0.0.1:4000']) {
    assert.equal(ask('POST', '127.0.0.1:3000', origin), false, origin);
  }
  assert.equal(ask('POST', '127.0.0.1:3000', null, 'cross-site'), false);
  const open = guardSettings({ DRILL_BIND: '0.0.0.0', DRILL_ALLOWED_HOSTS: 'room.example' });
  const asked = (host: string) => refusal({ method: 'GET', host, origin: null, site: null }, open) === null;
  assert.deepEqual(['10.0.0.1:3000', 'room.example', 'evil.example'].map(asked), [true, true, false]);
});

test('an address whose percent signs begin no character is said to be unreadable, wherever it stands', () => {
  for (const url of ['/matrix/%E0%A4%A', '/%', '/runs/%zz', '/a/%C3%28?x=1']) {
    assert.match(unreadable(url) ?? '', /names no page/, url);
  }
  for (const url of ['/', '/matrix/caf%C3%A9', '/runs?lab=%E0%A4%A', '/a%2Fb']) {
    assert.equal(unreadable(url), null, url);
  }
});

inStore(
  'the same number with another step is a conflict, and the same again is answered as recorded',
  async () => {
    const { run } = await startRun({ lab: 'receipt' });
    const init = { run, seq: 1, step: { command: 'init' } };
    assert.equal((await addStep(init)).started, true);
    assert.equal((await addStep(init)).started, false);
    await assert.rejects(addStep({ run, seq: 1, step: { command: 'plan' } }), code('conflict'));
    await assert.rejects(advanceRun({ run, seq: 1 }), code('conflict'));
    assert.equal((await getRun(run)).steps.length, 1);
  },
);

inStore('one click judges a step once, and showing the run judges nothing', async () => {
  const lab = getLab('receipt');
  const [first] = lab.invariants;
  assert.ok(first);
  const [check, assess] = [first.check, lab.assess];
  const calls = { check: 0, assess: 0 };
  first.check = (history) => {
    calls.check += 1;
    return check.call(first, history);
  };
  lab.assess = (history) => {
    calls.assess += 1;
    return assess.call(lab, history);
  };
  try {
    const { run } = await startRun({ scenario: LOST_ACK });
    for (const seq of [1, 2, 3]) {
      await advanceRun({ run, seq });
      assert.deepEqual(calls, { check: seq, assess: seq });
    }
    await getRun(run);
    await listRuns();
    await advanceRun({ run, seq: 3 });
    assert.deepEqual(calls, { check: 3, assess: 3 });
  } finally {
    Object.assign(first, { check });
    lab.assess = assess;
  }
});

inStore('a run whose next step cannot be asked for says so, and where a branch can begin', async () => {
  const { run } = await startRun({ scenario: LOST_ACK });
  await advanceRun({ run, seq: 1 });
  await advanceRun({ run, seq: 2 });
  const db = store();
  // As after a death in the step that saves the proposal: its reply never came.
  const row = db.prepare('SELECT record FROM steps WHERE run = ? AND seq = 2').get(run) as { record: string };
  const record = JSON.parse(row.record) as StepRecord;
  for (const end of record.executors) end.reply = null;
  const lost = JSON.stringify({ ...record, state: 'interrupted', error: 'it was killed' });
  db.prepare('UPDATE steps SET record = ?, state = ? WHERE run = ? AND seq = 2').run(
    lost,
    'interrupted',
    run,
  );
  const loaded = loadRun(run);
  updateSummary(db, summaryOf(loaded, loaded.records, []));
  const view = await getRun(run);
  assert.equal(view.stuck?.branchAfter, 'init');
  assert.match(view.stuck?.why ?? '', /proposal/);
  assert.equal(view.verdict, 'unknown');
  assert.deepEqual(
    view.reasons.map(({ kind }) => kind),
    ['step-interrupted', 'steps-missing'],
  );
  await assert.rejects(advanceRun({ run, seq: 3 }), code('refused'));
  await assert.rejects(advanceRun({ run, seq: 3 }), /cannot go on.*Branch after step "init"/);
});

inStore('a store that was deleted while it is open takes nothing more and says so', async (dir) => {
  const { run } = await startRun({ scenario: LOST_ACK });
  renameSync(join(dir, 'dashboard.sqlite'), join(dir, 'moved.sqlite'));
  await assert.rejects(advanceRun({ run, seq: 1 }), /deleted or replaced.*nothing was written/);
  renameSync(join(dir, 'moved.sqlite'), join(dir, 'dashboard.sqlite'));
  assert.equal((await advanceRun({ run, seq: 1 })).started, true);
});

inStore('what nobody could decide is listed with its run and its owner, until it is settled', async () => {
  const whole = getScenario('receipt/ownership-unknown');
  const { run } = await startRun({ scenario: whole });
  await runToEnd({ run, seq: 1 });
  const [first] = await listInvestigations();
  assert.ok(first, 'the receipt lab declares one');
  assert.deepEqual([first.run, first.lab, first.owner], [run, 'receipt', '']);
  assert.ok(first.missing && first.where);
  await ownInvestigation(run, first.operation, 'Ada');
  assert.equal((await listInvestigations())[0]?.owner, 'Ada');
  await assert.rejects(ownInvestigation(run, 'no-such-operation', 'Ada'), code('not-found'));
  await deleteRun(run);
  assert.deepEqual(await listInvestigations(), []);
});
