import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Place, PlacedFault } from '#lib/drill/sweep/model.ts';
import type { CellSummary } from '#lib/operations/sweep-job.ts';
import { gridOf } from './grid.ts';

const place = (at: string, step = 'run'): Place => ({ step, role: 'executor', at, hit: 1 });
const cell = (faults: PlacedFault[], more: Partial<CellSummary> = {}): CellSummary => ({
  key: faults.map((fault) => `${fault.at}:${fault.do}`).join('+'),
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
const trace = [place('first'), place('second')];

test('the first layer has its boundaries down in trace order and the ways to die across', () => {
  const cells = [
    cell([{ ...place('second'), do: 'exit' }]),
    cell([{ ...place('first'), do: 'kill' }], { verdict: 'violated' }),
  ];
  const grid = gridOf('run', 1, cells, trace, false);
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

test('a further layer has the second boundaries across, and shows the worst of the ways', () => {
  const both = (way: 'exit' | 'kill', more = {}) =>
    cell(
      [
        { ...place('first'), do: way },
        { ...place('second', 'next-1'), do: way },
      ],
      more,
    );
  const grid = gridOf('run', 2, [both('exit'), both('kill', { verdict: 'unknown' })], trace, false);
  assert.equal(grid.rows.length, 1);
  const found = grid.rows[0]?.cells.get('executor/second#1');
  assert.equal(found?.verdict, 'unknown');
  assert.equal(found?.cells.length, 2);
});

test('the filter leaves rows that do not hold and rows violated by design', () => {
  const cells = [
    cell([{ ...place('first'), do: 'exit' }]),
    cell([{ ...place('second'), do: 'exit' }], { violated: ['one-effect'] }),
  ];
  assert.deepEqual(
    gridOf('run', 1, cells, trace, true).rows.map(({ places }) => places[0]?.at),
    ['second'],
  );
});
