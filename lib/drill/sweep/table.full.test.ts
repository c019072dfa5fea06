import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getLab } from '../../labs/registry.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { getScenario } from '../scenario.ts';
import { noticedBy, safeguardTable, togetherOnly, type WeakCell } from './safeguards.ts';

const receipt = getLab('receipt');
const only = (...names: string[]) => ({
  ...receipt,
  safeguards: receipt.safeguards.filter(({ name }) => names.includes(name)),
  procedures: receipt.procedures.slice(0, 1),
});

test('the table names the invariant that fails, and lists a rule that nothing misses', async (t) => {
  const scenarios = [getScenario('receipt/lost-ack')];
  const lab = only('receipt-before-retry', 'review');
  const table = await safeguardTable(lab, { dir: tempDir(t), scenarios });
  assert.deepEqual(table.columns, ['receipt/lost-ack', 'matrix:run']);
  assert.deepEqual(
    table.sound.map(({ verdict }) => verdict),
    ['holds', 'holds'],
  );
  const of = (name: string) =>
    table.singles.find((cell) => cell.without[0] === name && cell.column === 'receipt/lost-ack');
  assert.ok(of('receipt-before-retry')?.invariants.includes('recovery-says-true'));
  assert.equal(of('review')?.verdict, 'holds', 'an approved run does not miss the review');
  assert.deepEqual(table.unnoticed, ['review']);
  assert.equal(table.verdict, 'violated');
});

test('what depends on a race is marked so, and is not counted as noticed', async (t) => {
  const lab = { ...only('receipt-before-retry'), procedures: [] };
  const scenarios = [getScenario('receipt/eight-at-once')];
  const table = await safeguardTable(lab, { dir: tempDir(t), scenarios });
  assert.deepEqual(
    [...table.sound, ...table.singles].map(({ byChance }) => byChance),
    [undefined, true],
  );
  assert.deepEqual(table.unnoticed, ['receipt-before-retry']);
  assert.equal(await noticedBy(lab, 'receipt-before-retry', { dir: tempDir(t), scenarios }), null);
});

test('a race of eight waits for its places step by step, and gives them back between its steps', async (t) => {
  const lab = { ...only('review'), procedures: [] };
  const scenarios = [getScenario('receipt/eight-at-once')];
  let used = 0;
  const asked: number[] = [];
  const gate = async (executors: number) => {
    assert.equal(used, 0, 'a step waits while it has places');
    used += executors;
    asked.push(executors);
    return () => {
      used -= executors;
    };
  };
  await safeguardTable(lab, { dir: tempDir(t), scenarios, gate, lanes: 1 });
  assert.equal(asked.length, 2 * (scenarios[0]?.steps.length ?? 0));
  assert.ok(asked.includes(8));
  assert.equal(used, 0);
});

test('a pair is listed with the invariant that neither of the two breaks alone', async (t) => {
  const lab = { ...only('version-check', 'receipt-before-retry', 'review'), procedures: [] };
  const scenarios = [getScenario('receipt/before-complete')];
  const table = await safeguardTable(lab, { dir: tempDir(t), scenarios, pairs: true });
  const [pair, ...more] = table.pairs as [WeakCell, ...WeakCell[]];
  assert.deepEqual(pair.without, ['version-check', 'receipt-before-retry']);
  assert.ok(togetherOnly(pair, table.singles).includes('one-effect-one-intent'));
  const alone = table.singles.flatMap(({ invariants }) => invariants);
  assert.ok(!alone.includes('one-effect-one-intent'));
  assert.deepEqual(more, [], 'the review adds nothing to either');
});

test('a table that shares nothing and starts every executor afresh is the same to the byte', async (t) => {
  const lab = only('version-check', 'receipt-before-retry');
  const scenarios = ['receipt/lost-ack', 'receipt/stale-version'].map(getScenario);
  const shared = await safeguardTable(lab, { dir: tempDir(t), scenarios });
  const apart = await safeguardTable(lab, { dir: tempDir(t), scenarios, share: false });
  assert.equal(JSON.stringify(shared), JSON.stringify(apart));
});
