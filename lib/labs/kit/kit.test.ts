/** A lab on the kit: what it leaves out has a default, and what a store's loss means is judged for it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { writeFileSync } from '../../core/fs.ts';
import type { StepRecord } from '../../drill/model.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import type { Context, Outcome } from '../child.ts';
import { changes, creates, deletes, overwrites, restores } from './child.ts';
import { defineLab, type LabDefinition } from './define.ts';
import { judge, onStores, rowsOf } from './judging.ts';

const SHOP = { id: 'shop', file: 'shop.sqlite', tables: ['orders', 'truth'] };
const SCHEMA = `CREATE TABLE orders (id TEXT PRIMARY KEY, paid INTEGER NOT NULL) STRICT;
  CREATE TABLE truth (seq INTEGER PRIMARY KEY, target TEXT, operation TEXT, actor TEXT) STRICT;`;
const orders = {
  store: 'shop',
  key: 'id',
  booleans: ['paid'],
  sql: 'SELECT id, paid FROM orders ORDER BY id',
};
const none = { title: '', columns: [], from: [] };

const definition: LabDefinition = {
  id: 'shop',
  title: 'Shop',
  summary: 'One table.',
  commands: [],
  stores: [SHOP],
  panels: {
    operation: { title: 'orders', columns: ['paid'], from: [orders] },
    target: none,
    receipts: none,
    events: none,
  },
  truth: [
    {
      store: 'shop',
      sql: `SELECT target, operation, actor, 'null' AS before, json_object('paid', json('true')) AS after
            FROM truth ORDER BY seq`,
    },
  ],
  invariants: [
    {
      id: 'one-order',
      says: 'At most one order',
      check: onStores(['shop'], (evidence) => {
        const { length } = rowsOf(evidence, 'operation');
        return judge(length <= 1, `${length} orders`);
      }),
    },
  ],
};
const lab = defineLab(definition);

const context = (dir: string, args: Context['args'] = {}): Context => ({
  dir,
  args,
  now: 0,
  without: new Set(),
});

async function shop(t: TestContext): Promise<string> {
  const dir = tempDir(t);
  const schema = join(dir, 'schema.sql');
  writeFileSync(schema, SCHEMA);
  await creates(SHOP, schema)(context(dir));
  const db = new Database(join(dir, SHOP.file));
  db.exec("INSERT INTO orders VALUES ('a', 1); INSERT INTO truth VALUES (1, 'a', 'op', 'executor')");
  db.close();
  return dir;
}

const step = (dir: string) => ({ evidence: lab.readEvidence(dir) }) as StepRecord;
const results = (history: StepRecord[]) => lab.invariants.map(({ check }) => check(history).result);

test('panels, truth, files and integrity are read from what the lab declares', async (t) => {
  const { panels, truth, files, integrity } = lab.readEvidence(await shop(t));
  assert.deepEqual(panels[0].rows, [{ key: 'a', store: 'shop', cells: { paid: true } }]);
  assert.deepEqual(truth, [
    { store: 'shop', target: 'a', operation: 'op', actor: 'executor', from: null, to: { paid: true } },
  ]);
  assert.deepEqual(files, [{ store: 'shop', file: SHOP.file, present: true }]);
  assert.deepEqual(integrity, [{ store: 'shop', quickCheck: 'ok', foreignKeys: 'ok' }]);
  assert.deepEqual(lab.stores[0]?.panels, ['operation']);
});

test('a store that was there and is gone, or is no database, leaves every invariant unknown', async (t) => {
  const dir = await shop(t);
  const before = step(dir);
  assert.deepEqual(results([before]), ['holds', 'holds']);
  await overwrites(SHOP)(context(dir));
  assert.deepEqual(results([before, step(dir)]), ['unknown', 'unknown']);
  await deletes(SHOP)(context(dir));
  assert.deepEqual(results([before, step(dir)]), ['unknown', 'unknown']);
  assert.deepEqual(results([step(dir)]), ['holds', 'holds'], 'before init nothing can be broken');
});

test('a copy is put back with its rows, and damage that finds no row is refused', async (t) => {
  const [dir, copy] = [await shop(t), await shop(t)];
  const forget = changes(SHOP, 'order', 'DELETE FROM orders');
  assert.equal(((await forget(context(dir))) as Outcome).exit, 0);
  const again = (await forget(context(dir))) as Outcome;
  assert.deepEqual([again.exit, again.reply.status], [3, 'nothing-to-damage']);
  await restores(SHOP)(context(dir, { from: copy }));
  assert.equal(rowsOf(lab.readEvidence(dir), 'operation').length, 1);
});

test('a panel of a store that the lab does not have is an error that names both', () => {
  assert.throws(() => defineLab({ ...definition, stores: [] }), /Lab shop reads store "shop"/);
});
