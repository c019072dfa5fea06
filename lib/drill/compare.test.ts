import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Evidence } from '../evidence/model.ts';
import { getLab } from '../labs/registry.ts';
import { runCase } from '../testing/case.ts';
import { alignLabels, alignSteps, differenceSentence, equalToTheByte } from './compare.ts';
import { costOf } from './cost.ts';
import type { StepRecord } from './model.ts';

const runs = new Map<string, StepRecord[]>();
const run = (id: string): StepRecord[] => runs.get(id) ?? [];
const last = (id: string): Evidence => run(id).at(-1)?.evidence as Evidence;

const IDS = [
  'receipt/lost-ack',
  'receipt/ownership-unknown',
  'receipt/forgotten-ledger',
  'receipt/effect-absent',
  'receipt/database-deleted',
  'outbox/naive-lost-ack',
  'outbox/idempotent-lost-ack',
  'outbox/mark-before-send-loses-task',
];

before(async (t) => {
  for (const id of IDS) runs.set(id, [...(await runCase(t as TestContext, id)).records]);
});

test('labels are aligned in order, a step of one run alone stands where it came', () => {
  assert.deepEqual(
    alignLabels([
      ['a', 'b', 'd'],
      ['a', 'c', 'd', 'e'],
    ]),
    ['a', 'c', 'b', 'd', 'e'],
  );
  assert.deepEqual(alignLabels([['a'], ['b'], ['a', 'b', 'c']]), ['b', 'a', 'c']);
  assert.deepEqual(alignLabels([]), []);
  for (const labels of [
    ['x', 'y'],
    ['y', 'x'],
  ])
    assert.deepEqual(alignLabels([['x', 'y'], labels]).sort(), ['x', 'y'], 'each label once');
});

test('lost-ack and ownership-unknown: the same target, and one of them can prove whose it is', () => {
  assert.equal(
    differenceSentence(last('receipt/lost-ack'), last('receipt/ownership-unknown')),
    'Same target, version 2 and true. Run A has a receipt, run B has none.',
  );
  assert.equal(
    differenceSentence(last('receipt/ownership-unknown'), last('receipt/lost-ack')),
    'Same target, version 2 and true. Run A has no receipt, run B has a receipt.',
  );
});

test('naive and idempotent differ by a ticket', () => {
  assert.equal(
    differenceSentence(
      last('outbox/naive-lost-ack'),
      last('outbox/idempotent-lost-ack'),
      undefined,
      [],
      getLab('outbox').makes,
    ),
    'Run A has 2 tickets, run B has a ticket.',
  );
});

test('what differs is told by its cell, and a target by its version', () => {
  const crashed = run('receipt/lost-ack')[2]?.evidence as Evidence;
  assert.equal(
    differenceSentence(crashed, last('receipt/lost-ack'), ['before', 'after']),
    'Same target, version 2 and true. Same receipts. In the record, status of synthetic-finding-001 is pending in before, reconciled in after.',
  );
  assert.match(
    differenceSentence(last('receipt/lost-ack'), last('receipt/forgotten-ledger')),
    /^The target is at version 2 and true in run A, at version 3 and true in run B\.$/,
  );
});

test('what no reader can see is said where it is all that differs', () => {
  const evidence = last('receipt/lost-ack');
  assert.match(
    differenceSentence(evidence, { ...evidence, truth: [] }),
    /what really happened is not: 1 change in run A, 0 changes in/,
  );
});

test('a store that one run has lost is said to be missing, and its rows are compared with nothing', () => {
  const { stores } = getLab('receipt');
  const [a, b] = [last('receipt/lost-ack'), last('receipt/database-deleted')];
  assert.equal(
    differenceSentence(a, b, ['run A', 'run B'], stores),
    'The target cannot be compared: in run B, lab.sqlite is missing. What it held is not known, which is not the same as nothing.',
  );
  const unread = run('receipt/lost-ack').map((record) => ({ ...record, evidence: null }));
  assert.equal(equalToTheByte([unread, unread]), false, 'evidence that nobody has is not the same evidence');
});

test('two runs of one scenario are equal to the byte, and said to be', async (t) => {
  const again = (await runCase(t, 'receipt/lost-ack')).records;
  assert.equal(equalToTheByte([run('receipt/lost-ack'), again]), true);
  assert.equal(
    differenceSentence(last('receipt/lost-ack'), last('receipt/lost-ack')),
    'The evidence is the same to the byte.',
  );
  const aligned = alignSteps([run('receipt/lost-ack'), run('receipt/ownership-unknown')]);
  assert.equal(aligned.find((step) => step.label === 'init')?.equal, true);
  assert.equal(aligned.find((step) => step.label === 'recovered')?.equal, false);
  assert.equal(aligned.find((step) => step.label === 'drifted')?.steps[0], null);
  assert.equal(equalToTheByte([run('receipt/lost-ack'), run('receipt/ownership-unknown')]), false);
});

test('a wrong decision is told by what it cost, a right one costs nothing', () => {
  const cost = (id: string) => costOf(getLab(id.split('/')[0] as string), run(id));
  assert.deepEqual(cost('receipt/lost-ack'), []);
  assert.deepEqual(cost('receipt/effect-absent'), []);
  assert.deepEqual(cost('outbox/idempotent-lost-ack'), []);
  assert.deepEqual(cost('outbox/naive-lost-ack'), [
    'two tickets for one intent',
    'a change nobody can attribute',
  ]);
  assert.deepEqual(cost('receipt/forgotten-ledger'), ['two changes for one intent']);
  assert.deepEqual(cost('receipt/ownership-unknown'), ['a change nobody can attribute']);
  assert.match(cost('outbox/mark-before-send-loses-task').join(), /^no ticket/);
});
