import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import pg from 'pg';
import {
  bind,
  copyData,
  copyDone,
  copyFail,
  execute,
  extended,
  flush,
  parse,
  query,
  RawClient,
  special,
  sync,
} from './testing/pg-raw.ts';
import { startPostgres, type TestServer } from './testing/postgres-server.ts';
import { chopper, type Fault, until, wireCase } from './testing/wire-case.ts';
import type { WireOptions } from './wire.ts';

const INSERT = 'INSERT INTO rows VALUES ($1)';
let server: TestServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

async function fresh(t: TestContext): Promise<() => Promise<string[]>> {
  const direct = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'postgres' });
  await direct.connect();
  t.after(() => direct.end());
  await direct.query('DROP TABLE IF EXISTS rows; CREATE TABLE rows (text text)');
  return async () => (await direct.query('SELECT text FROM rows ORDER BY text')).rows.map((row) => row.text);
}

async function raw(t: TestContext, port: number): Promise<RawClient> {
  const client = await RawClient.open(port, 'postgres');
  t.after(() => client.close());
  return client;
}

async function rawCase(t: TestContext, faults: Fault[] = [], more: Partial<WireOptions> = {}) {
  const rows = await fresh(t);
  const wire = await wireCase(t, 'postgres', server.port, faults, more);
  return { wire, rows, client: await raw(t, wire.port) };
}

/** Pipelines, errors in them, copies, portals read in parts: what a driver may send at once. */
const CONVERSATION: [frames: Buffer[], readyAfter: number][] = [
  [[query('BEGIN'), query("INSERT INTO rows VALUES ('a'), ('b')"), query('COMMIT'), query('')], 4],
  [
    [
      extended(INSERT, 'c'),
      extended(INSERT, 'd'),
      sync,
      extended(INSERT, 'e'),
      sync,
      query('SELECT 1; SELECT 2'),
    ],
    3,
  ],
  [
    [
      extended(INSERT, 'f'),
      extended('INSERT INTO nowhere VALUES (1)'),
      extended(INSERT, 'g'),
      sync,
      query('SELECT 3'),
    ],
    2,
  ],
  [
    [
      parse('put', INSERT),
      bind('p', 'put', ['h']),
      execute('p'),
      bind('q', 'put', ['i']),
      execute('q'),
      sync,
    ],
    1,
  ],
  [[parse('', 'SELECT * FROM rows ORDER BY text'), bind('', ''), execute('', 2), execute('', 1), sync], 1],
  [
    [
      parse('', "INSERT INTO rows VALUES ('q'), ('r') RETURNING text"),
      bind('', ''),
      execute('', 1),
      execute('', 1),
      sync,
    ],
    1,
  ],
  [[query('COPY rows FROM STDIN')], 0],
  [[copyData('j\n'), copyData('k\n'), copyDone, query('COPY rows TO STDOUT')], 2],
  [[extended('COPY rows FROM STDIN'), sync], 0],
  [[copyData('l\n'), copyDone, sync, query("INSERT INTO rows VALUES ('m')")], 2],
  [[extended('COPY rows FROM STDIN'), sync], 0],
  [[copyData('n\n'), copyFail, sync, query("INSERT INTO rows VALUES ('o')")], 2],
  [
    [
      query(`SELECT repeat('x', 100000), '${'y'.repeat(300_000)}'`),
      query(`INSERT INTO rows VALUES ('p') -- ${'z'.repeat(300_000)}`),
    ],
    2,
  ],
];

async function converse(client: RawClient): Promise<string> {
  let ready = 0;
  let copies = 0;
  for (const [frames, count] of CONVERSATION) {
    client.send(...frames);
    ready += count;
    if (count === 0) copies += 1;
    await client.until(count === 0 ? 'G' : 'Z', count === 0 ? copies : ready);
  }
  return client.received.toString('latin1');
}

test('whatever a client sends at once, it gets the same bytes as without the proxy', async (t) => {
  await fresh(t);
  const direct = await converse(await raw(t, server.port));
  const { wire, rows, client } = await rawCase(t);
  assert.equal(await converse(client), direct);
  assert.deepEqual(await rows(), [...'abcdehijklmopqr']);
  const trace = wire.trace().map((line) => line.replace(/^pg | #\d+$/g, ''));
  // Who is first of a request and another's reply is free; each side by itself is not.
  for (const side of ['before', 'after']) {
    const own = trace.filter((line) => line.endsWith(side)).map((line) => line.replace(` ${side}`, ''));
    assert.deepEqual(own, [
      ...['INSERT rows', 'COMMIT', 'INSERT rows', 'INSERT rows', 'INSERT rows'],
      ...['INSERT rows', 'INSERT nowhere', 'INSERT rows', 'INSERT rows', 'INSERT rows', 'INSERT rows'],
      ...['COPY rows', 'COPY rows', 'INSERT rows', 'COPY rows', 'INSERT rows', 'INSERT rows'],
    ]);
  }
});

test('a reply that is held back and released is the same bytes, in whatever pieces they come', async (t) => {
  await fresh(t);
  const direct = await converse(await raw(t, server.port));
  const faults = ['INSERT rows', 'COMMIT', 'COPY rows', 'INSERT nowhere'].map((name) => ({
    at: `pg ${name} after`,
    hit: 1000,
    action: 'hold',
  }));
  const rows = await fresh(t);
  const inner = await wireCase(t, 'postgres', server.port, faults, { include: ['*'] });
  const outer = await wireCase(t, 'postgres', await chopper(t, inner.port), faults);
  const client = await raw(t, outer.port);
  const short = CONVERSATION.splice(-1, 1);
  t.after(() => CONVERSATION.push(...short));
  assert.equal(direct.startsWith(await converse(client)), true);
  assert.deepEqual(await rows(), [...'abcdehijklmoqr']);
});

test('in a pipeline a fault at the second statement keeps the whole answer, and the first is undone with it', async (t) => {
  const { wire, rows, client } = await rawCase(t, [
    { at: 'pg INSERT rows before', hit: 2, action: 'lose-request' },
  ]);
  client.send(extended(INSERT, 'a'), extended(INSERT, 'b'), sync);
  await client.closed;
  assert.equal(client.letters(), '');
  await wire.close();
  assert.deepEqual(await rows(), []);
});

test('in a pipeline a lost reply leaves all of its statements done and the answer before it handed on', async (t) => {
  const { rows, client } = await rawCase(t, [{ at: 'pg INSERT rows after', hit: 2, action: 'lose-reply' }]);
  client.send(query('SELECT 1'), extended(INSERT, 'a'), extended(INSERT, 'b'), sync);
  await client.closed;
  assert.equal(client.letters(), 'TDCZ');
  assert.deepEqual(await rows(), ['a', 'b']);
});

test('what a client asks for by Flush is not held back', async (t) => {
  const { wire, rows, client } = await rawCase(t, [{ at: 'pg INSERT rows after', action: 'hold' }]);
  client.send(extended(INSERT, 'a'), flush);
  await client.until('C');
  client.send(sync);
  await until(() => wire.held().length === 1);
  assert.equal(client.letters(), '12C');
  wire.release('pg INSERT rows after');
  await client.until('Z');
  assert.deepEqual(await rows(), ['a']);
});

test('a copy with a fault at its end can begin', async (t) => {
  const { rows, client } = await rawCase(t, [{ at: 'pg COPY rows after', action: 'lose-reply' }]);
  client.send(extended('COPY rows FROM STDIN'), sync);
  await client.until('G');
  client.send(copyData('a\n'), copyDone, sync);
  await client.closed;
  assert.equal(client.letters(), '12G');
  assert.deepEqual(await rows(), ['a']);
});

test('requests for TLS and GSS are answered "no", and the log-in goes on', async (t) => {
  const { wire } = await rawCase(t);
  for (const code of [80877103, 80877104]) {
    const socket = connect(wire.port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(special(code));
    const [answer] = await once(socket, 'data');
    assert.equal(answer.toString(), 'N');
  }
});

test('a cancel request reaches the service', async (t) => {
  const { wire, client } = await rawCase(t);
  client.send(query('SELECT pg_sleep(600)'));
  const cancelled = client.until('E');
  // The statement may not have begun yet; a cancel request has no answer, so it is sent until it works.
  while (!client.letters().includes('E')) {
    const socket = connect(wire.port, '127.0.0.1');
    socket.write(special(80877102, ...client.key));
    await once(socket, 'close');
  }
  await cancelled;
  assert.match(client.received.toString(), /57014/);
});

test('of a statement that is cut in the middle nothing is forwarded', async (t) => {
  const { wire, rows, client } = await rawCase(t);
  const whole = query("INSERT INTO rows VALUES ('a')");
  for (const bytes of [3, 5, whole.length - 1]) {
    const other = await raw(t, wire.port);
    other.socket.end(whole.subarray(0, bytes));
    await other.closed;
  }
  client.send(query("INSERT INTO rows VALUES ('b')"));
  await client.until('Z');
  assert.deepEqual(await rows(), ['b']);
  assert.deepEqual(wire.trace(), ['pg INSERT rows before', 'pg INSERT rows after']);
});

test('of a large reply with a fault at its end only the end is held back', async (t) => {
  const rows = 300;
  const at = 'pg SELECT generate_series after';
  const { wire, client } = await rawCase(t, [{ at, action: 'hold' }], { include: ['pg SELECT *'] });
  client.send(query(`SELECT repeat('x', 100000) FROM generate_series(1, ${rows})`));
  await until(() => wire.held().length === 1);
  await client.until('D', rows - 15);
  assert.ok(client.letters().length < rows - 5);
  wire.release(at);
  await client.until('Z');
  assert.equal(client.letters(), `T${'D'.repeat(rows)}CZ`);
});

test('a client that reads slowly stops the service, not the memory', async (t) => {
  const { client } = await rawCase(t);
  const watcher = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'postgres' });
  await watcher.connect();
  t.after(() => watcher.end());
  client.socket.pause();
  client.send(query("SELECT repeat('x', 1000000) FROM generate_series(1, 300)"));
  let waits = 0;
  while (waits < 200) {
    const { rows } = await watcher.query(
      "SELECT state, wait_event FROM pg_stat_activity WHERE query LIKE 'SELECT repeat%generate_series(1, 300)'",
    );
    assert.notEqual(rows[0]?.state, 'idle');
    waits = rows[0]?.wait_event === 'ClientWrite' ? waits + 1 : 0;
  }
});

test('a reply that comes in pieces is held back from its beginning', async (t) => {
  const rows = await fresh(t);
  const at = 'pg INSERT rows after';
  const wire = await wireCase(t, 'postgres', await chopper(t, server.port), [{ at, action: 'hold' }]);
  const client = await raw(t, wire.port);
  client.send(extended(INSERT, 'a'), sync);
  await until(() => wire.held().length === 1);
  assert.equal(client.received.length, 0);
  assert.deepEqual(await rows(), ['a']);
  wire.release(at);
  await client.until('Z');
  assert.equal(client.letters(), '12CZ');
});
