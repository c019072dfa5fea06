/** Each rule about claims fails on evidence that breaks it, and holds on the evidence it was made from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import { lab } from './manifest.ts';
import { CONNECT, call, LIST, trial } from './testing/trial.ts';

const judge = (id: string, history: readonly StepRecord[]) =>
  lab.invariants.find((one) => one.id === id)?.check(history).result;

const clone = (record: StepRecord): StepRecord => structuredClone(record);
const rows = (record: StepRecord, id: 'operation' | 'target' | 'receipts' | 'events'): Row[] =>
  panel(record.evidence as Evidence, id).rows;

/** A last step with its evidence changed. */
function after(history: readonly StepRecord[], change: (record: StepRecord) => void): StepRecord[] {
  const last = clone(history.at(-1) as StepRecord);
  change(last);
  return [...history, last];
}

test('an overwritten final status and every lost or changed proof violate final-states-stay', async (t) => {
  const run = await trial(t);
  await run.run('update-document');
  await run.talk([CONNECT, LIST, call('op-1')]);
  await run.run('inspect');
  assert.equal(judge('final-states-stay', run.records), 'holds');
  const set = (id: 'operation' | 'target' | 'receipts' | 'events', key: string, cells: JsonObject) =>
    after(run.records, (record) => {
      const row = rows(record, id).find((one) => one.key === key);
      assert.ok(row, key);
      Object.assign(row.cells, cells);
    });
  const drop = (id: 'operation' | 'target' | 'receipts' | 'events', key: string) =>
    after(run.records, (record) => {
      const found = rows(record, id);
      found.splice(
        found.findIndex((one) => one.key === key),
        1,
      );
    });
  const broken = [
    set('operation', 'op-1', { status: 'uncertain' }),
    set('operation', 'op-1', { ticket: 2 }),
    set('target', 'ticket 1', { title: 'Else' }),
    set('events', 'reply/1', { bytes: '{}' }),
    set('receipts', 'update-001', { version: 3 }),
    drop('operation', 'op-1'),
    drop('target', 'ticket 1'),
    drop('events', 'reply/1'),
    drop('receipts', 'update-001'),
  ];
  assert.deepEqual(
    broken.map((history) => judge('final-states-stay', history)),
    broken.map(() => 'violated'),
  );
});

test('a ticket that the ground truth gives to another client is no effect of ours', async (t) => {
  const run = await trial(t);
  await run.talk([CONNECT, LIST, call('op-1')]);
  assert.equal(judge('effect-is-our-own', run.records), 'holds');
  const stolen = after(run.records, (record) => {
    for (const change of record.evidence?.truth ?? []) change.actor = 'another-client';
  });
  assert.equal(judge('effect-is-our-own', stolen), 'violated');
  assert.equal(judge('replies-are-true', stolen), 'violated');
});

test('what any command says of an effect is compared with the ground truth', async (t) => {
  const run = await trial(t);
  await run.run('update-document', { operation: 'u', body: 'one', expected: 1 });
  await run.run('update-document', { operation: 'u', body: 'two', expected: 2 });
  await run.run('update-document', { operation: 'v', body: 'two', expected: 1 });
  await run.talk([CONNECT, LIST, call('op-1')]);
  await run.run('reconcile');
  const { records } = run;
  for (let end = 2; end <= records.length; end += 1) {
    const history = records.slice(0, end);
    assert.equal(judge('replies-are-true', history), 'holds', history.at(-1)?.command);
    const turned = after(history, (record) => {
      const reply = record.executors[0]?.reply;
      if (reply?.effect) reply.effect = reply.effect === 'confirmed' ? 'absent' : 'confirmed';
      else if (record.evidence) record.evidence.truth = [];
    });
    assert.equal(judge('replies-are-true', turned), 'violated', history.at(-1)?.command);
  }
});

test('doubt that a look-up leaves beside a ticket of our own is violated', async (t) => {
  const run = await trial(t);
  await run.talk([CONNECT, LIST, call('op-1')], {
    fault: { at: 'after-ticket', role: 'server', action: 'kill' },
  });
  await run.run('reconcile');
  assert.equal(judge('no-doubt-beside-proof', run.records), 'holds');
  const [init, talk, found] = run.records as [StepRecord, StepRecord, StepRecord];
  const left = { ...clone(found), evidence: structuredClone(talk.evidence) };
  assert.equal(judge('no-doubt-beside-proof', [init, talk, left]), 'violated');
});
