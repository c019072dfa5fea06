import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRow } from '#lib/operations/model.ts';
import { asTree } from './tree.ts';

function row(id: string, origin?: string): RunRow {
  return {
    id,
    lab: 'receipt',
    scenario: null,
    title: id,
    createdAt: '',
    stepsDone: 1,
    stepsTotal: null,
    finished: false,
    verdict: 'holds',
    decision: null,
    without: [],
    origin: origin ? { run: origin, label: 'crashed', of: null } : null,
    costs: [],
    diskBytes: 0,
  };
}

const shape = (runs: RunRow[]) => asTree(runs).map(({ run, depth }) => `${'.'.repeat(depth)}${run.id}`);

test('branches stand under their origin, oldest first, branches of branches under those', () => {
  const runs = [row('c', 'a'), row('d', 'b'), row('b', 'a'), row('x'), row('a')];
  assert.deepEqual(shape(runs), ['a', '.b', '..d', '.c', 'x']);
});

test('a tree stands where its newest run stood, and no run is lost or shown twice', () => {
  assert.deepEqual(shape([row('x'), row('b', 'a'), row('y'), row('a')]), ['x', 'a', '.b', 'y']);
});

test('a branch whose origin is on another page or deleted stands for itself', () => {
  assert.deepEqual(shape([row('b', 'elsewhere'), row('a')]), ['b', 'a']);
});
