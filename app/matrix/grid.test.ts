import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Place, type PlacedFault, WAYS, type Way } from '#lib/drill/sweep/model.ts';
import type { CellSummary } from '#lib/operations/sweep-job.ts';
import { countOf, emptiness, gridOf, placeOf, rowsWith } from './grid.ts';
import { orderOf } from './order.ts';
import { ONLY } from './search-params.ts';

const place = (at: string, step = 'run'): Place => ({ step, role: 'executor', at, hit: 1 });
const cell = (faults: PlacedFault[], more: Partial<CellSummary> = {}): CellSummary => ({
  key: faults.map((fault) => `${fault.step}/${fault.at}:${fault.action}`).join('+'),
  procedure: 'run',
  faults,
  verdict: 'holds',
  violated: [],
  decision: 'none',
  effect: 'confirmed',
  effects: 1,
  foreign: 0,
  reason: '',
  ...more,
});
const single = (at: string, way: Way = 'exit', more = {}) => cell([{ ...place(at), action: way }], more);
const double = (step: string, way: Way, more = {}) =>
  cell(
    [
      { ...place('first'), action: way },
      { ...place('second', step), action: way },
    ],
    more,
  );

const steps = [{ label: 'plan' }, { label: 'run' }];
const boundaries = ['second', 'first', 'reconciled'].map((name) => ({ role: 'executor', name }));
const order = orderOf({ steps }, boundaries, [place('first'), place('second')]);
const downOf = (cells: CellSummary[], by = order) =>
  gridOf('run', 1, cells, by).rows.map(({ places }) => places[0]?.at);

test('the first layer has its boundaries down in trace order and the ways to die across', () => {
  const grid = gridOf('run', 1, [single('second'), single('first', 'kill', { verdict: 'violated' })], order);
  assert.deepEqual(
    grid.rows.map(({ places }) => places[0]?.at),
    ['first', 'second'],
  );
  assert.deepEqual(
    grid.columns.map(({ id }) => id),
    ['exit', 'kill', 'abort'],
  );
  assert.equal(grid.rows[0]?.cells.get('kill')?.verdict, 'violated');
  assert.equal(grid.rows[0]?.cells.get('exit'), undefined);
});

test('the order is that of the trace, then of the manifest, and no matter which cell is done first', () => {
  const cells = [single('reconciled'), single('second'), single('first')];
  for (const list of [cells, cells.toReversed()]) {
    assert.deepEqual(downOf(list), ['first', 'second', 'reconciled']);
  }
  const untraced = orderOf({ steps }, boundaries, []);
  assert.deepEqual(downOf(cells, untraced), ['second', 'first', 'reconciled']);
});

test('what an operator does after the procedure comes behind it, the tenth action behind the second', () => {
  const steps = ['next-10', 'run', 'next-2', 'plan'].map((step) => place('reconciled', step));
  const rows = gridOf(
    'run',
    1,
    steps.map((at) => cell([{ ...at, action: 'exit' }])),
    order,
  ).rows;
  assert.deepEqual(
    rows.map(({ places }) => places[0]?.step),
    ['plan', 'run', 'next-2', 'next-10'],
  );
});

test('a further layer has the second boundaries across, with every way and every step in the cell', () => {
  const cells = [double('next-2', 'exit'), double('next-1', 'kill'), double('next-1', 'exit')];
  const grid = gridOf('run', 2, cells, order);
  assert.equal(grid.rows.length, 1);
  const found = grid.rows[0]?.cells.get('executor/second#1');
  assert.deepEqual(
    found?.cells.map(({ faults }) => `${faults[1]?.step} ${faults[1]?.action}`),
    ['next-1 exit', 'next-1 kill', 'next-2 exit'],
  );
});

test('a place of the table says the worst verdict, how many have it, and where its cells differ', () => {
  const cells = [
    double('next-1', 'exit', { decision: 'reconcile' }),
    double('next-1', 'kill', { verdict: 'unknown', decision: 'investigate', effects: 0 }),
    double('next-1', 'abort', { decision: 'reconcile', effects: 2 }),
  ];
  const found = gridOf('run', 2, cells, order).rows[0]?.cells.get('executor/second#1');
  assert.equal(found?.verdict, 'unknown');
  assert.equal(found?.so, 1);
  assert.deepEqual(found?.decisions, ['reconcile', 'investigate']);
  assert.deepEqual(found?.effects, [0, 2]);
});

test('every cell of a layer is in exactly one place of the table, and is found by its key', () => {
  const fault = fc.record(
    {
      step: fc.constantFrom('run', 'next-1', 'next-2'),
      role: fc.constantFrom('executor', 'receiver'),
      at: fc.constantFrom('first', 'second', 'reconciled'),
      hit: fc.constantFrom(1, 2),
      action: fc.constantFrom(...WAYS),
    },
    { noNullPrototype: true },
  );
  const layers = fc.integer({ min: 1, max: 3 }).chain((depth) =>
    fc
      .uniqueArray(fc.array(fault, { minLength: depth, maxLength: depth }), {
        selector: (faults) => JSON.stringify(faults),
      })
      .map((all) => ({
        depth,
        cells: all.map((faults) => cell(faults, { key: JSON.stringify(faults) })),
      })),
  );
  fc.assert(
    fc.property(layers, ({ depth, cells }) => {
      const grid = gridOf('run', depth, cells, order);
      const placed = grid.rows.flatMap((row) => [...row.cells.values()].flatMap((at) => at.cells));
      assert.deepEqual(placed.map(({ key }) => key).sort(), cells.map(({ key }) => key).sort());
      for (const one of cells) assert.ok(placeOf(grid, one.key)?.cells.includes(one));
      const columns = new Set(grid.columns.map(({ id }) => id));
      for (const row of grid.rows) for (const id of row.cells.keys()) assert.ok(columns.has(id));
    }),
  );
});

test('each filter leaves the rows with a cell that is so, and counts the cells', () => {
  const cells = [
    single('first'),
    single('second', 'exit', { violated: ['one-effect'] }),
    single('second', 'kill'),
    single('third', 'exit', { verdict: 'unknown' }),
    single('fourth', 'exit', { verdict: 'violated', violated: ['one-effect'] }),
  ];
  const grid = gridOf('run', 1, cells, order);
  const shown = Object.fromEntries(
    ONLY.map((only) => [only, rowsWith(grid, only).map(({ places }) => places[0]?.at)]),
  );
  assert.deepEqual(shown, {
    'not-holds': ['third', 'fourth'],
    violated: ['fourth'],
    unknown: ['third'],
    'by-design': ['second'],
  });
  assert.equal(rowsWith(grid, null).length, 4);
  assert.deepEqual(
    [null, ...ONLY].map((only) => countOf(cells, only)),
    [5, 2, 1, 1, 1],
  );
});

test('a place without a cell is not done yet, not done any more, or no cell at all', () => {
  const layer = (done: number) => ({ depth: 1, size: 9, done, holds: done, violated: 0, unknown: 0 });
  const of = (state: 'running' | 'cancelled' | 'failed' | 'done', done: number) => {
    const { cell: word, table } = emptiness({ state, layers: [layer(done)] }, 1);
    return `${word}, ${table}`;
  };
  assert.equal(of('running', 3), 'notDoneYet, nothingYet');
  assert.equal(of('cancelled', 3), 'notDone, cancelledBefore');
  assert.equal(of('failed', 0), 'notDone, failedBefore');
  assert.match(of('done', 9), /^noCell/);
  assert.equal(emptiness({ state: 'running', layers: [] }, 2).cell, 'notDoneYet');
});
