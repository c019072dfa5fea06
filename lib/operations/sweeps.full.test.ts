/** Sweeps in a server: recorded cell by cell, continued after a kill, cancelled, behind a person's click. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import type { ListedSweep, MatrixLayer, SweepView } from './get-sweep.ts';
import { Slots } from './slots.ts';
import { Host, inDirectory } from './testing/drive.ts';

const MATRIX = { kind: 'matrix', lab: 'receipt', depth: 1 };

async function finished(host: Host, sweep: string): Promise<SweepView> {
  let view = await host.must<SweepView>('sweepState', sweep);
  while (view.state === 'running') view = await host.must<SweepView>('sweepState', sweep);
  return view;
}

function rows(data: string): Map<string, string> {
  const db = new Database(join(data, 'dashboard.sqlite'), { readonly: true });
  try {
    const found = db.prepare('SELECT key, rowid || result AS row FROM sweep_cells').all() as {
      key: string;
      row: string;
    }[];
    return new Map(found.map(({ key, row }) => [key, row]));
  } finally {
    db.close();
  }
}

const left = (data: string): string[] => {
  const dir = join(data, 'sweeps');
  return existsSync(dir) ? readdirSync(dir) : [];
};

for (const at of ['before-sweep-cell-commit', 'after-sweep-cell']) {
  inDirectory(`a server killed ${at} goes on from the recorded cells and does none again`, async (dir) => {
    const data = join(dir, 'data');
    const first = new Host(data, { control: join(dir, 'control'), faults: [{ at, hit: 9 }] });
    await first.must('serve');
    const { sweep } = await first.must<{ sweep: string }>('sweep', MATRIX);
    assert.equal((await first.end).signal, 'SIGKILL');
    const recorded = rows(data);
    assert.equal(recorded.size, at === 'after-sweep-cell' ? 9 : 8);
    assert.deepEqual(left(data), [sweep], 'the cells in flight leave their directory');

    const second = new Host(data);
    await second.must('serve');
    const view = await finished(second, sweep);
    assert.equal(view.state, 'done');
    assert.equal(view.verdict, 'holds');
    assert.deepEqual(
      view.layers.map(({ size, done }) => done - size),
      [0, 0],
    );
    const after = rows(data);
    for (const [key, row] of recorded) assert.equal(after.get(key), row, key);
    assert.deepEqual(left(data), []);
    const { report } = await second.must<MatrixLayer>('sweepLayer', { sweep, depth: 1 });
    assert.deepEqual(report?.neverReached, []);
  });
}

inDirectory('a cancelled sweep stays cancelled, keeps its cells and leaves no directory', async (dir) => {
  const data = join(dir, 'data');
  const host = new Host(data);
  await host.must('serve');
  const { sweep } = await host.must<{ sweep: string }>('sweep', { ...MATRIX, depth: 2 });
  const again = await host.must<{ sweep: string }>('sweep', { ...MATRIX, depth: 2 });
  assert.equal(again.sweep, sweep, 'the same question is not asked twice at once');
  while (rows(data).size < 4) await host.must('sweepState', sweep);
  const view = await host.must<SweepView>('sweepCancel', sweep);
  assert.equal(view.state, 'cancelled');
  assert.deepEqual(left(data), []);
  const kept = rows(data).size;
  assert.ok(kept >= 4);
  const next = new Host(data);
  host.child.kill('SIGKILL');
  await host.end;
  await next.must('serve');
  assert.equal((await next.must<SweepView>('sweepState', sweep)).state, 'cancelled');
  assert.equal(rows(data).size, kept);
});

inDirectory('a sweep that waits for another is cancelled at once, and never begins', async (dir) => {
  const data = join(dir, 'data');
  const host = new Host(data);
  await host.must('serve');
  const first = await host.must<{ sweep: string }>('sweep', { ...MATRIX, depth: 2 });
  const second = await host.must<{ sweep: string }>('sweep', MATRIX);
  assert.equal((await host.must<SweepView>('sweepState', second.sweep)).work?.waiting, true);
  assert.equal((await host.must<SweepView>('sweepCancel', second.sweep)).state, 'cancelled');
  assert.equal((await host.must<SweepView>('sweepState', first.sweep)).state, 'running');
  assert.equal((await host.must<SweepView>('sweepCancel', first.sweep)).state, 'cancelled');
  const view = await host.must<SweepView>('sweepState', second.sweep);
  assert.deepEqual([view.state, view.layers], ['cancelled', []]);
});

inDirectory(
  'a violated cell opens as a run that is violated, also where the operator comes to no end',
  async (dir) => {
    const host = new Host(join(dir, 'data'));
    await host.must('serve');
    const without = ['receipt-before-retry'];
    const { sweep } = await host.must<{ sweep: string }>('sweep', { ...MATRIX, without });
    await finished(host, sweep);
    const { cells } = await host.must<MatrixLayer>('sweepLayer', { sweep, depth: 1 });
    const endless = cells.find(({ reason }) => /still had something to do/.test(reason));
    assert.ok(endless);
    const { run } = await host.must<{ run: string }>('openCell', { sweep, key: endless.key });
    const view = await host.run(run);
    assert.equal(view.verdict, 'violated');
    assert.ok(view.reasons.some((reason) => reason.kind === 'check' && 'settled' in reason.check));
  },
);

inDirectory('a page shows the sweep that it names, of its lab and kind, or none', async (dir) => {
  const host = new Host(join(dir, 'data'));
  await host.must('serve');
  const ids: string[] = [];
  for (const without of [[], ['review'], ['digest-conflict']]) {
    const { sweep } = await host.must<{ sweep: string }>('sweep', { ...MATRIX, without });
    await host.must('sweepCancel', sweep);
    ids.push(sweep);
  }
  const shown = async (asked: string | null, more = {}) =>
    (await host.must<SweepView | null>('sweepShown', { kind: 'matrix', lab: 'receipt', asked, ...more }))?.id;
  assert.equal(await shown(null), ids[2]);
  assert.equal(await shown(ids[0] ?? null), ids[0]);
  for (const no of ['s00000000000000000000', '../runs', '']) assert.equal(await shown(no), undefined, no);
  assert.equal(await shown(ids[0] ?? null, { lab: 'outbox' }), undefined);
  assert.equal(await shown(ids[0] ?? null, { kind: 'safeguards' }), undefined);
  const list = await host.must<ListedSweep[]>('sweeps', MATRIX);
  assert.deepEqual(
    list.map(({ id, without, state }) => [id, without, state]),
    [
      [ids[2], ['digest-conflict'], 'cancelled'],
      [ids[1], ['review'], 'cancelled'],
      [ids[0], [], 'cancelled'],
    ],
  );
});

inDirectory('a sweep is deleted with its cells once it is not at work any more', async (dir) => {
  const data = join(dir, 'data');
  const host = new Host(data);
  await host.must('serve');
  const { sweep } = await host.must<{ sweep: string }>('sweep', MATRIX);
  while (rows(data).size < 1) await host.must('sweepState', sweep);
  assert.equal((await host.ask('sweepDelete', sweep))?.code, 'busy');
  await host.must('sweepCancel', sweep);
  assert.ok(rows(data).size > 0);
  await host.must('sweepDelete', sweep);
  assert.equal(rows(data).size, 0);
  assert.deepEqual(left(data), []);
  assert.equal((await host.ask('sweepState', sweep))?.code, 'not-found');
  assert.equal((await host.ask('sweepDelete', sweep))?.code, 'not-found');
});

inDirectory('the trace without a fault is known while a sweep is at work', async (dir) => {
  const data = join(dir, 'data');
  const host = new Host(data);
  await host.must('serve');
  const { sweep } = await host.must<{ sweep: string }>('sweep', MATRIX);
  while (rows(data).size < 3) await host.must('sweepState', sweep);
  const { baselines, report } = await host.must<MatrixLayer>('sweepLayer', { sweep, depth: 1 });
  assert.equal(report, null);
  const run = baselines.find(({ procedure }) => procedure === 'run');
  assert.equal(run?.reached[0]?.at, 'before-intent');
  await host.must('sweepCancel', sweep);
});

inDirectory('a cell opens as a run that comes to the same verdict', async (dir) => {
  const host = new Host(join(dir, 'data'));
  await host.must('serve');
  const { sweep } = await host.must<{ sweep: string }>('sweep', MATRIX);
  await finished(host, sweep);
  const { cells } = await host.must<MatrixLayer>('sweepLayer', { sweep, depth: 1 });
  const cell = cells.find(({ faults }) => faults[0]?.at === 'after-target' && faults[0].action === 'kill');
  assert.ok(cell);
  const { run } = await host.must<{ run: string }>('openCell', { sweep, key: cell.key });
  const view = await host.run(run);
  assert.equal(view.verdict, cell.verdict, view.reasons.join('; '));
  assert.equal(view.decision, 'reconcile');
  assert.equal(view.next, null);
  assert.equal(view.steps.find(({ label }) => label === 'run')?.executors[0]?.signal, 'SIGKILL');
});

inDirectory('what no sweep can be is refused with a sentence, and nothing begins', async (dir) => {
  const data = join(dir, 'data');
  const host = new Host(data);
  await host.must('serve');
  for (const [input, code] of [
    [{ ...MATRIX, lab: 'nowhere' }, 'not-found'],
    [{ ...MATRIX, depth: 4 }, 'malformed'],
    [{ ...MATRIX, depth: 1.5 }, 'malformed'],
    [{ ...MATRIX, without: ['gravity'] }, 'usage'],
    [{ ...MATRIX, kind: 'guess' }, 'usage'],
  ] as const) {
    assert.equal((await host.ask('sweep', input))?.code, code, JSON.stringify(input));
  }
  assert.equal((await host.ask('sweepState', '../runs'))?.code, 'usage');
  assert.equal((await host.ask('sweepState', 's00000000000000000000'))?.code, 'not-found');
  assert.equal(rows(data).size, 0);
});

test("a person's click goes before the cells of a sweep that wait", async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const use = async (name: string, rank: 'person' | 'sweep') => {
    const leave = await slots.take(1, undefined, rank);
    order.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    leave();
  };
  await Promise.all([
    use('cell 1', 'sweep'),
    use('cell 2', 'sweep'),
    use('cell 3', 'sweep'),
    use('click 1', 'person'),
    use('click 2', 'person'),
  ]);
  assert.deepEqual(order, ['cell 1', 'click 1', 'click 2', 'cell 2', 'cell 3']);
});
