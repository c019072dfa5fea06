import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffEvidence, diffPanel } from './diff.ts';
import { gapsOf, type PanelSource } from './gaps.ts';
import type { Evidence, Panel, PanelId, Row } from './model.ts';

const STORES: PanelSource[] = [
  { id: 'record', file: 'record.sqlite', panels: ['operation', 'receipts', 'events'], joins: ['receipts'] },
  { id: 'tool', file: 'tool.sqlite', panels: ['target', 'receipts', 'events'] },
  { id: 'other', file: 'other.sqlite', panels: ['target'] },
];

type State = 'sound' | 'missing' | 'unreadable' | 'damaged';

const row = (key: string, store: string, value = 1): Row => ({ key, store, cells: { value } });

/** Evidence as a lab's reader makes it: a store that is no database gives no rows. */
function evidence(rows: Partial<Record<PanelId, Row[]>>, states: Record<string, State> = {}): Evidence {
  const stateOf = (store: string) => states[store] ?? 'sound';
  const panelOf = (id: PanelId): Panel => ({ id, title: id, columns: ['value'], rows: rows[id] ?? [] });
  return {
    lab: 'trial',
    panels: [panelOf('operation'), panelOf('target'), panelOf('receipts'), panelOf('events')],
    truth: [],
    integrity: STORES.map(({ id }) => {
      const state = stateOf(id);
      const said =
        state === 'sound' ? 'ok' : state === 'damaged' ? 'database disk image is malformed' : state;
      return { store: id, quickCheck: said, foreignKeys: state === 'damaged' ? 'ok' : said };
    }),
    files: STORES.map(({ id, file }) => ({ store: id, file, present: stateOf(id) !== 'missing' })),
  };
}

const kinds = (before: Evidence, after: Evidence, id: PanelId) => {
  const found = diffEvidence(before, after, STORES).find((diff) => diff.id === id);
  return { known: found?.known, rows: found?.rows.map(({ key, kind }) => [key, kind]) };
};

for (const state of ['missing', 'unreadable', 'damaged'] as const) {
  test(`rows of a store that is ${state} are not known, and were not removed`, () => {
    const before = evidence({ operation: [row('a', 'record')] });
    const after = evidence({}, { record: state });
    assert.deepEqual(gapsOf(after, 'operation', STORES), [
      { store: 'record', file: 'record.sqlite', problem: state, joins: false },
    ]);
    assert.deepEqual(kinds(before, after, 'operation'), { known: false, rows: [['a', 'unseen']] });
    assert.deepEqual(kinds(after, before, 'operation'), { known: false, rows: [['a', 'unseen']] });
    assert.deepEqual(kinds(after, after, 'operation'), { known: false, rows: [] });
  });
}

test('where one of several stores is gone, only its own rows are not known', () => {
  const before = evidence({ target: [row('t', 'tool'), row('o', 'other')], operation: [row('a', 'record')] });
  const after = evidence(
    { target: [row('o', 'other', 2), row('p', 'other')], operation: [row('a', 'record')] },
    { tool: 'missing' },
  );
  assert.deepEqual(kinds(before, after, 'target'), {
    known: false,
    rows: [
      ['t', 'unseen'],
      ['o', 'changed'],
      ['p', 'added'],
    ],
  });
  assert.deepEqual(kinds(before, after, 'operation'), { known: true, rows: [['a', 'same']] });
});

test('a row that is found through two stores is not known where either is gone', () => {
  const before = evidence({ receipts: [row('r', 'tool')] });
  for (const store of ['record', 'tool']) {
    const after = evidence({}, { [store]: 'missing' });
    assert.deepEqual(kinds(before, after, 'receipts'), { known: false, rows: [['r', 'unseen']] });
  }
});

test('in stores that were read, a row that is there no longer was removed', () => {
  const before = evidence({ receipts: [row('r', 'tool')] });
  assert.deepEqual(kinds(before, evidence({}), 'receipts'), { known: true, rows: [['r', 'removed']] });
  assert.deepEqual(diffPanel(before.panels[2], before.panels[2]).known, true);
});
