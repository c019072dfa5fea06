import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommitMapLayout } from './model.ts';
import { latestRow, mapRows } from './rows.ts';

const step = (index: number) => index * 300;

function wide(steps: number): CommitMapLayout {
  const all = Array.from({ length: steps }, (_, index) => index);
  return {
    width: steps * 300,
    processRows: ['process'],
    lanes: [{ title: 'ledger', panel: 'operation' }],
    bands: all.map((index) => ({ x: step(index), width: 300, label: `${index + 1} step` })),
    bars: all.map((index) => ({
      row: 0,
      from: step(index) + 10,
      to: step(index) + 200,
      label: 'run',
      detail: 'pid 1',
      end: 'done',
      spoken: '',
    })),
    dots: all.map((index) => ({
      lane: 0,
      x: step(index) + 100,
      panel: 'operation',
      label: `commit ${index}`,
      committed: true,
      row: 0,
      spoken: '',
    })),
    deaths: [{ row: 0, x: 206, title: 'died', detail: '', spoken: '' }],
    unknown: [{ from: 206, to: step(steps - 1) + 100, label: 'known', spoken: '' }],
  };
}

test('a map cut into rows loses no commit and no process, and no row is wider than asked for', () => {
  const layout = wide(6);
  const rows = mapRows(layout, 700);
  assert.equal(rows.length, 3);
  assert.deepEqual(
    rows.flatMap((row) => row.dots.map((dot) => dot.label)),
    layout.dots.map((dot) => dot.label),
  );
  assert.equal(rows.flatMap((row) => row.bars).length, layout.bars.length);
  for (const row of rows) {
    assert.ok(row.width <= 700, `${row.width}`);
    for (const dot of row.dots) assert.ok(dot.x >= 0 && dot.x <= row.width);
  }
});

test('what is open across a cut goes on in the next row, and is named where it ends', () => {
  const rows = mapRows(wide(6), 700);
  assert.deepEqual(
    rows.map((row) => row.unknown.map((bar) => [bar.to !== null, bar.label])),
    [[[false, '']], [[false, '']], [[true, 'known']]],
  );
});

test('a step that a cut goes through is named again behind the cut', () => {
  const rows = mapRows(wide(6), 170);
  assert.ok(rows.length > 6, `${rows.length}`);
  for (const row of rows) assert.match(row.bands[0]?.label ?? '', /step$/);
  const starts = mapRows(wide(6), 700).map((row) => row.bands.map((band) => band.label));
  assert.deepEqual(
    starts.flat(),
    wide(6).bands.map((band) => band.label),
  );
});

test('a map that fits is one row, and one step with nowhere to cut stays whole', () => {
  assert.equal(mapRows(wide(2), 700).length, 1);
  const [first] = wide(1).dots;
  assert.ok(first);
  assert.equal(mapRows({ ...wide(1), dots: [first] }, 50).flatMap((row) => row.dots).length, 1);
});

test('the projector shows the latest steps, as many as fit', () => {
  const shown = latestRow(wide(6), 700);
  assert.deepEqual(
    shown.dots.map((dot) => dot.label),
    ['commit 4', 'commit 5'],
  );
  assert.ok(shown.width <= 700);
});
