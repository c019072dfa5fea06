import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { getLab, labs } from '../../labs/registry.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { getScenario, scenariosOf } from '../scenario.ts';
import { mechanismTable, noticedBy } from './mechanisms.ts';

for (const lab of labs) {
  for (const { name } of lab.mechanisms) {
    test(`${lab.id}: without ${name} a scenario or a cell of the matrix comes out otherwise`, async (t) => {
      const cell = await noticedBy(lab, name, { dir: tempDir(t), scenarios: scenariosOf(lab.id) });
      assert.ok(cell, 'nothing notices that it is missing');
      assert.notEqual(cell.statement ?? cell.reason, '');
      t.diagnostic(`${cell.column}: ${cell.statement ?? cell.reason}`);
    });
  }
}

const receipt = getLab('receipt');
const only = (...names: string[]) => ({
  ...receipt,
  mechanisms: receipt.mechanisms.filter(({ name }) => names.includes(name)),
  procedures: receipt.procedures.slice(0, 1),
});

test('the table names the statement that fails, and lists a rule that nothing misses', async (t) => {
  const scenarios = [getScenario('receipt/lost-ack')];
  const lab = only('receipt-before-retry', 'review');
  const table = await mechanismTable(lab, { dir: tempDir(t), scenarios });
  assert.deepEqual(table.columns, ['receipt/lost-ack', 'matrix:run']);
  assert.deepEqual(
    table.sound.map(({ verdict }) => verdict),
    ['holds', 'holds'],
  );
  const of = (name: string) =>
    table.singles.find((cell) => cell.without[0] === name && cell.column === 'receipt/lost-ack');
  assert.equal(of('receipt-before-retry')?.statement, 'recovery-says-true');
  assert.equal(of('review')?.verdict, 'holds', 'an approved run does not miss the review');
  assert.deepEqual(table.unnoticed, ['review']);
  assert.equal(table.verdict, 'violated');
});

test('a pair is listed where it fails and neither of the two alone does', async (t) => {
  const dir = tempDir(t);
  const lab = only('version-check', 'review');
  const scenarios = [getScenario('receipt/before-intent'), getScenario('receipt/not-approved')];
  const table = await mechanismTable(lab, { dir: join(dir, 'pairs'), scenarios, pairs: true });
  for (const cell of table.pairs) {
    for (const name of cell.without) {
      const alone = table.singles.find(
        (single) => single.without[0] === name && single.column === cell.column,
      );
      assert.equal(alone?.verdict, 'holds', `${cell.key}: ${name} alone fails too`);
    }
    assert.notEqual(cell.verdict, 'holds');
  }
  assert.equal(table.paired, true);
});
