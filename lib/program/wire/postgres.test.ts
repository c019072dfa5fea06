import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import pg from 'pg';
import { startPostgres, type TestServer } from './testing/postgres-server.ts';
import {
  controlDir,
  type Fault,
  type Program,
  program,
  until,
  type WireCase,
  wireCase,
} from './testing/wire-case.ts';
import type { WireOptions } from './wire.ts';

let server: TestServer;
let databases = 0;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

async function connected(t: TestContext, port: number, database: string): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, database, user: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end().catch(() => {}));
  return client;
}

interface Case extends WireCase {
  database: string;
  /** Through the proxy. */
  client(): Promise<pg.Client>;
  /** Straight to the server: the texts of the rows. */
  rows(): Promise<string[]>;
}

async function pgCase(t: TestContext, faults: Fault[] = [], more: Partial<WireOptions> = {}): Promise<Case> {
  databases += 1;
  const database = `case_${databases}`;
  const admin = await connected(t, server.port, 'postgres');
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.end();
  const direct = await connected(t, server.port, database);
  await direct.query('CREATE TABLE rows (text text)');
  const wire = await wireCase(t, 'postgres', server.port, faults, more);
  return {
    ...wire,
    database,
    client: () => connected(t, wire.port, database),
    rows: async () => (await direct.query('SELECT text FROM rows ORDER BY text')).rows.map((row) => row.text),
  };
}

const WAYS = { simple: 'INSERT rows', extended: 'INSERT rows', transaction: 'COMMIT' };

for (const [way, name] of Object.entries(WAYS)) {
  for (const side of ['before', 'after']) {
    test(`kill ${side} ${name} (${way}) ends the process and leaves ${side === 'after' ? 'the' : 'no'} row`, async (t) => {
      let child: Program | undefined;
      const kill = () => child?.kill();
      const wire = await pgCase(t, [{ at: `pg ${name} ${side}`, action: 'kill' }], { kill });
      child = program(t, 'pg-program.ts', [String(wire.port), wire.database, way]);
      const end = await child.ended;
      assert.deepEqual(end, { code: null, signal: 'SIGKILL', output: '' });
      assert.equal(wire.trace().at(-1), `pg ${name} ${side}`);
      assert.deepEqual(wire.fired(), ['fired-0']);
      await wire.close();
      assert.deepEqual(await wire.rows(), side === 'after' ? ['a'] : []);
    });
  }
}

test('without a fault the program runs to its end and every boundary is in the trace, alike in two runs', async (t) => {
  for (const way of Object.keys(WAYS)) {
    const traces: string[][] = [];
    for (const _ of [1, 2]) {
      const wire = await pgCase(t);
      const end = await program(t, 'pg-program.ts', [String(wire.port), wire.database, way]).ended;
      assert.deepEqual(end, { code: 0, signal: null, output: 'written\n' });
      traces.push(wire.trace());
    }
    const commit = ['pg COMMIT before', 'pg COMMIT after'];
    assert.deepEqual(traces[0], [
      'pg INSERT rows before',
      'pg INSERT rows after',
      ...(way === 'transaction' ? commit : []),
    ]);
    assert.deepEqual(traces[1], traces[0]);
  }
});

const INSERTS: Record<string, (client: pg.Client, text: string) => Promise<unknown>> = {
  simple: (client, text) => client.query(`INSERT INTO rows VALUES ('${text}')`),
  extended: (client, text) => client.query('INSERT INTO rows VALUES ($1)', [text]),
  named: (client, text) => client.query({ name: 'i', text: 'INSERT INTO rows VALUES ($1)', values: [text] }),
};

for (const [way, insert] of Object.entries(INSERTS)) {
  test(`a lost request (${way}) is a cut connection and no row, once`, async (t) => {
    const wire = await pgCase(t, [{ at: 'pg INSERT rows before', action: 'lose-request' }]);
    await assert.rejects(insert(await wire.client(), 'a'), { code: 'ECONNRESET' });
    assert.deepEqual(await wire.rows(), []);
    await insert(await wire.client(), 'b');
    assert.deepEqual(await wire.rows(), ['b']);
  });

  test(`a lost reply (${way}) is a cut connection and a row, once`, async (t) => {
    const wire = await pgCase(t, [{ at: 'pg INSERT rows after', hit: 2, action: 'lose-reply' }]);
    const client = await wire.client();
    await insert(client, 'a');
    await assert.rejects(insert(client, 'b'), { code: 'ECONNRESET' });
    assert.deepEqual(await wire.rows(), ['a', 'b']);
    await insert(await wire.client(), 'c');
    assert.deepEqual(await wire.rows(), ['a', 'b', 'c']);
  });

  test(`a hold (${way}) stops its connection alone until it is released`, async (t) => {
    for (const side of ['before', 'after']) {
      const at = `pg INSERT rows ${side}`;
      const wire = await pgCase(t, [{ at, action: 'hold' }]);
      let settled = false;
      const held = insert(await wire.client(), 'a').then(() => {
        settled = true;
      });
      await until(() => wire.held().length === 1);
      assert.deepEqual(wire.held(), [{ held: at, hit: 1, role: 'wire', pid: process.pid }]);
      await insert(await wire.client(), 'b');
      assert.equal(settled, false);
      assert.deepEqual(await wire.rows(), side === 'before' ? ['b'] : ['a', 'b']);
      wire.release(at);
      await held;
      assert.deepEqual(await wire.rows(), ['a', 'b']);
    }
  });
}

test('a held request is still delivered when its client has gone', async (t) => {
  const wire = await pgCase(t, [{ at: 'pg INSERT rows before', action: 'hold' }]);
  const child = program(t, 'pg-program.ts', [String(wire.port), wire.database, 'extended']);
  await until(() => wire.held().length === 1);
  child.kill();
  await child.ended;
  assert.deepEqual(await wire.rows(), []);
  wire.release('pg INSERT rows before');
  await until(() => wire.trace().includes('pg INSERT rows after'));
  assert.deepEqual(await wire.rows(), ['a']);
});

test('a connection that is held for ever ends when the proxy is closed', async (t) => {
  const wire = await pgCase(t, [{ at: 'pg INSERT rows after', action: 'hold' }]);
  const failed = assert.rejects((await wire.client()).query("INSERT INTO rows VALUES ('a')"));
  await until(() => wire.held().length === 1);
  await wire.close();
  await failed;
});

test('a fault fires once a step, whichever proxy comes first', async (t) => {
  const control = controlDir(t, [{ at: 'pg INSERT rows before', action: 'lose-request' }]);
  const [one, two] = [await pgCase(t, [], { control }), await pgCase(t, [], { control })];
  await assert.rejects((await one.client()).query("INSERT INTO rows VALUES ('a')"));
  await (await two.client()).query("INSERT INTO rows VALUES ('b')");
  assert.deepEqual(await two.rows(), ['b']);
  assert.deepEqual(one.fired(), ['fired-0']);
});

test('a fault of another role or of another kind of service is left alone', async (t) => {
  const wire = await pgCase(t, [
    { at: 'pg INSERT rows before', action: 'exit', role: 'executor' },
    { at: 'http POST /charges before', action: 'error-reply' },
    { at: 'after-charge', action: 'abort' },
  ]);
  await (await wire.client()).query("INSERT INTO rows VALUES ('a')");
  assert.deepEqual(wire.fired(), []);
});

test('statements that only read are boundaries when included, and any statement is none when excluded', async (t) => {
  const run = async (more: Partial<WireOptions>) => {
    const wire = await pgCase(t, [], more);
    const client = await wire.client();
    await client.query('SELECT * FROM rows');
    await client.query("INSERT INTO rows VALUES ('a')");
    return wire.trace();
  };
  assert.deepEqual(await run({}), ['pg INSERT rows before', 'pg INSERT rows after']);
  assert.deepEqual(await run({ include: ['pg SELECT *'], exclude: ['pg INSERT rows before'] }), [
    'pg SELECT rows before',
    'pg SELECT rows after',
    'pg INSERT rows after',
  ]);
});

test('a statement that fails has both its boundaries, and the connection goes on', async (t) => {
  const wire = await pgCase(t);
  const client = await wire.client();
  for (const insert of Object.values(INSERTS)) {
    await client.query('DROP TABLE IF EXISTS rows');
    await assert.rejects(insert(client, 'a'), { code: '42P01' });
    await client.query('CREATE TABLE rows (text text)');
    await insert(client, 'b');
  }
  const inserts = wire.trace().filter((line) => line.startsWith('pg INSERT'));
  assert.equal(inserts.length, 12);
  assert.deepEqual(inserts.slice(-2), ['pg INSERT rows before #6', 'pg INSERT rows after #6']);
});

test("SQL's own PREPARE is no boundary, and its EXECUTE is named after the statement", async (t) => {
  const wire = await pgCase(t);
  const client = await wire.client();
  await client.query('PREPARE put AS INSERT INTO rows VALUES ($1)');
  await client.query("EXECUTE put('a')");
  assert.deepEqual(wire.trace(), ['pg INSERT rows before', 'pg INSERT rows after']);
});

test('a client that insists on TLS is answered that there is none', async (t) => {
  const wire = await pgCase(t);
  const client = new pg.Client({ host: '127.0.0.1', port: wire.port, user: 'postgres', ssl: true });
  await assert.rejects(client.connect(), /does not support SSL/);
});

test('a service that refuses the connection is a closed connection', async (t) => {
  const wire = await wireCase(t, 'postgres', 1);
  const client = new pg.Client({ host: '127.0.0.1', port: wire.port, user: 'postgres' });
  client.on('error', () => {});
  await assert.rejects(client.connect());
});
