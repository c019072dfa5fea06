import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getLab } from '../labs/registry.ts';
import { headlineOf } from './headline.ts';
import type { Panel } from './model.ts';

const target: Panel = {
  id: 'target',
  title: 'document and tickets',
  columns: ['version'],
  rows: [
    { key: 'shared-document', store: 'service', cells: { version: 1 } },
    { key: 'ticket 1', store: 'service', cells: { ticket: 1 } },
    { key: 'ticket 2', store: 'service', cells: { ticket: 2 } },
  ],
};

test('a headline counts only the rows that it names, and a version is a version', () => {
  const headlines = {
    target: [
      { name: 'document version', cell: 'version' },
      { one: 'ticket', many: 'tickets', prefix: 'ticket ' },
    ],
  };
  assert.equal(headlineOf(target, headlines), 'document version 1 · 2 tickets');
});

test('equal values of several rows are counted, and a lab without headlines gives none', () => {
  const rows = ['pending', 'done', 'pending'].map((state, index) => ({
    key: String(index),
    store: 's',
    cells: { state },
  }));
  const panel: Panel = { id: 'operation', title: '', columns: [], rows };
  assert.equal(headlineOf(panel, { operation: [{ cell: 'state' }] }), 'pending × 2, done');
  assert.equal(headlineOf(panel, undefined), '');
});

test('the session lab counts messages alone, not the decisions and recorded replies beside them', () => {
  const rows: Panel['rows'] = [
    { key: '1', store: 'client', cells: { direction: 'out', says: 'asked' } },
    { key: 'decision/1', store: 'client', cells: { says: 'decided' } },
    { key: 'reply/1', store: 'service', cells: { says: 'recorded' } },
  ];
  const panel: Panel = { id: 'events', title: 'messages', columns: ['says'], rows };
  assert.equal(headlineOf(panel, getLab('session').headlines), '1 message');
});
