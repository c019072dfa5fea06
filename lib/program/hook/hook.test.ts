/** The hook in programs that were not written for it: real packages, real databases, processes that really die. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { Redis } from 'ioredis';
import pg from 'pg';
import { freePort, startPostgres, type TestServer } from '../wire/testing/postgres-server.ts';
import { ending, HOOK, KILLED, programDir, Step } from './testing/hooked.ts';

const BETTER = `
import Database from 'better-sqlite3';
const db = new Database('shop.sqlite');
db.exec('CREATE TABLE IF NOT EXISTS charges (id TEXT, at TEXT)');
const insert = db.prepare('INSERT INTO charges VALUES (?, ?)');
const charge = db.transaction((ids) => ids.map((id) => insert.run(id, new Date().toISOString())));
charge(['a', 'b']);
db.prepare("UPDATE charges SET at = 'x' WHERE id = ? RETURNING id").get('a');
console.log(db.prepare('SELECT count(*) AS n FROM charges').get().n);
`;
const BUILT_IN = `
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync('shop.sqlite');
db.exec('CREATE TABLE IF NOT EXISTS charges (id TEXT, at TEXT)');
db.prepare('INSERT INTO charges VALUES (?, ?)').run('a', String(Date.now()));
for (const row of db.prepare('INSERT INTO charges VALUES (?, 0) RETURNING id').iterate('b')) console.log(row.id);
`;
const rows = (dir: string): number => {
  const db = new Database(join(dir, 'shop.sqlite'), { readonly: true });
  const { n } = db.prepare('SELECT count(*) AS n FROM charges').get() as { n: number };
  db.close();
  return n;
};

for (const [library, file, source, places] of [
  [
    'better-sqlite3',
    'shop.mjs',
    BETTER,
    ['CREATE TABLE charges#1', 'INSERT charges#1', 'INSERT charges#2', 'COMMIT#1', 'UPDATE charges#1'],
  ],
  ['node:sqlite', 'shop.cjs', BUILT_IN, ['CREATE TABLE charges#1', 'INSERT charges#1', 'INSERT charges#2']],
] as const) {
  test(`${library}: two runs pass the same boundaries, one before and one after each write`, async (t) => {
    const expected = places.flatMap((place) =>
      ['before', 'after'].map((side) => `sqlite ${place.replace('#', ` ${side}#`)}`),
    );
    for (let run = 0; run < 2; run += 1) {
      const step = new Step(t, programDir(t, { [file]: source }), 'plain');
      assert.equal((await step.run(file)).code, 0);
      assert.deepEqual(step.places(), expected);
    }
  });
}

test('better-sqlite3: killed before COMMIT nothing is there, killed after it everything is', async (t) => {
  for (const [side, left] of [
    ['before', 0],
    ['after', 2],
  ] as const) {
    const dir = programDir(t, { 'shop.mjs': BETTER });
    const step = new Step(t, dir, side, [{ at: `sqlite COMMIT ${side}`, hit: 1, action: 'kill' }]);
    assert.deepEqual(ending(await step.run('shop.mjs')), KILLED);
    assert.equal(rows(dir), left);
  }
});

test('node:sqlite: killed before the second INSERT one row is there, killed after it two are', async (t) => {
  for (const [side, left] of [
    ['before', 1],
    ['after', 2],
  ] as const) {
    const dir = programDir(t, { 'shop.cjs': BUILT_IN });
    const step = new Step(t, dir, side, [{ at: `sqlite INSERT charges ${side}`, hit: 2, action: 'kill' }]);
    assert.deepEqual(ending(await step.run('shop.cjs')), KILLED);
    assert.equal(rows(dir), left);
  }
});

const PG = `
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
const client = await pool.connect();
await client.query('BEGIN');
await client.query({ text: 'INSERT INTO orders (id, at) VALUES ($1, now())', values: [process.argv[2]] });
await client.query('COMMIT');
client.release();
await new Promise((done, fail) => pool.query('UPDATE orders SET at = now() WHERE id = $1', [process.argv[2]], (e, r) => (e ? fail(e) : done(r))));
const failed = await pool.query('INSERT INTO missing VALUES (1)').catch((error) => error.code);
const { rows, command } = await pool.query('SELECT count(*)::int AS n FROM orders WHERE id = $1', [process.argv[2]]);
console.log(JSON.stringify({ rows, command, failed }));
await pool.end();
`;

let server: TestServer;
let url: string;
let sql: pg.Client;
before(async () => {
  server = await startPostgres();
  url = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  sql = new pg.Client(url);
  await sql.connect();
  await sql.query('CREATE TABLE orders (id text, at timestamptz)');
});
after(async () => {
  await sql?.end();
  await server?.stop();
});

test('pg: promises, callbacks and pools pass the same boundaries twice, with the results of a plain run', async (t) => {
  const dir = programDir(t, { 'order.mjs': PG });
  const said = '{"rows":[{"n":1}],"command":"SELECT","failed":"42P01"}\n';
  for (const id of ['one', 'two']) {
    const step = new Step(t, dir, id);
    const { stdout, stderr } = await step.run('order.mjs', [id], { DATABASE_URL: url });
    assert.deepEqual({ stdout, stderr }, { stdout: said, stderr: '' });
    const names = ['INSERT orders', 'COMMIT', 'UPDATE orders', 'INSERT missing'];
    assert.deepEqual(
      step.places(),
      names.flatMap((name) => [`pg ${name} before#1`, `pg ${name} after#1`]),
    );
  }
});

test('pg: killed before COMMIT the row is not there, killed after it is', async (t) => {
  const dir = programDir(t, { 'order.mjs': PG });
  for (const [side, left] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    const step = new Step(t, dir, side, [{ at: `pg COMMIT ${side}`, action: 'kill' }]);
    assert.deepEqual(ending(await step.run('order.mjs', [side], { DATABASE_URL: url })), KILLED);
    const { rows } = await sql.query('SELECT count(*)::int AS n FROM orders WHERE id = $1', [side]);
    assert.deepEqual(rows, [{ n: left }]);
  }
});

test('ioredis: killed before a command it is not done, killed after it is; a transaction is its EXEC', async (t) => {
  const port = await freePort();
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '']);
  t.after(() => redis.kill('SIGKILL'));
  for await (const chunk of redis.stdout) if (String(chunk).includes('Ready to accept')) break;
  const client = new Redis(port, { lazyConnect: true });
  t.after(() => client.disconnect());
  const source = `
const Redis = require('ioredis');
const redis = new Redis(${port});
(async () => {
  await redis.set(process.argv[2], '1');
  await redis.multi().incr('a').incr('b').exec();
  console.log(await redis.get(process.argv[2]), await redis.lpush('a', 1).catch((error) => error.message.slice(0, 9)));
  redis.disconnect();
})();`;
  const dir = programDir(t, { 'cache.cjs': source });
  const plain = new Step(t, dir, 'plain');
  assert.equal((await plain.run('cache.cjs', ['plain'])).stdout, '1 WRONGTYPE\n');
  const names = ['SET', 'EXEC', 'LPUSH'];
  assert.deepEqual(
    plain.places(),
    names.flatMap((name) => [`redis ${name} before#1`, `redis ${name} after#1`]),
  );
  for (const [side, left] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    const step = new Step(t, dir, side, [{ at: `redis SET ${side}`, action: 'kill' }]);
    assert.deepEqual(ending(await step.run('cache.cjs', [side])), KILLED);
    assert.equal(await client.exists(side), left);
  }
});

async function bank(t: TestContext): Promise<{ server: Server; port: number; charges: string[] }> {
  const charges: string[] = [];
  const server = createServer((request, response) => {
    charges.push(`${request.method} ${request.url}`);
    request.resume();
    response.end('charged');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, charges };
}

test('fetch and http: killed before a request the server has not seen it, killed after it has', async (t) => {
  const { port, charges } = await bank(t);
  const source = `
import http from 'node:http';
const url = 'http://127.0.0.1:${port}';
console.log(await (await fetch(url + '/charges/ch_123?x=1', { method: 'POST', body: 'a' })).text());
await (await fetch(url + '/charges')).text();
http.request(url + '/orders/17/items', { method: 'PUT' }, (response) => response.pipe(process.stdout)).end('b');`;
  const dir = programDir(t, { 'pay.mjs': source });
  const plain = new Step(t, dir, 'plain');
  assert.equal((await plain.run('pay.mjs')).stdout, 'charged\ncharged');
  const names = ['POST /charges/:id', 'PUT /orders/:id/items'];
  assert.deepEqual(
    plain.places(),
    names.flatMap((name) => [`http ${name} before#1`, `http ${name} after#1`]),
  );
  for (const name of names) {
    for (const [side, seen] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      charges.length = 0;
      const step = new Step(t, dir, `${name.slice(0, 3)}-${side}`, [
        { at: `http ${name} ${side}`, action: 'kill' },
      ]);
      assert.deepEqual(ending(await step.run('pay.mjs')), KILLED);
      assert.equal(charges.filter((charge) => charge.startsWith(name.slice(0, 3))).length, seen);
    }
  }
});

const FILES = `
import { execFile, execSync, spawnSync } from 'node:child_process';
import fs, { fsyncSync, openSync, renameSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { promisify } from 'node:util';
fs.writeFileSync('new', '1');
const file = openSync('new', 'r+');
fsyncSync(file);
renameSync('new', 'one');
await new Promise((done) => fs.fsync(file, done));
await rename('one', 'two');
const handle = await open('two', 'r+');
await handle.sync();
await handle.close();
fs.rename('two', 'three', async () => {
  spawnSync('true');
  execSync('echo a | cat >four');
  await promisify(execFile)('true');
});`;

test('files and programs: each rename, fsync and start has its two boundaries, in every form', async (t) => {
  const dir = programDir(t, { 'files.mjs': FILES });
  const step = new Step(t, dir, 'plain');
  assert.equal((await step.run('files.mjs')).code, 0);
  const expected = ['fs fsync', 'fs rename', 'fs fsync', 'fs rename', 'fs fsync', 'fs rename'];
  expected.push('spawn true', 'spawn echo', 'spawn true');
  const names = step.places().map((place) => place.replace(/#\d+$/, ''));
  assert.deepEqual(
    names,
    expected.flatMap((name) => [`${name} before`, `${name} after`]),
  );
  for (const [side, there] of [
    ['before', 'two'],
    ['after', 'three'],
  ] as const) {
    const killed = programDir(t, { 'files.mjs': FILES });
    const one = new Step(t, killed, side, [{ at: `fs rename ${side}`, hit: 3, action: 'kill' }]);
    assert.deepEqual(ending(await one.run('files.mjs')), KILLED);
    assert.ok(existsSync(join(killed, there)));
  }
});

const SHAPES = `
const Database = require('better-sqlite3');
const fs = require('node:fs');
const db = new Database(':memory:');
const shape = (of) => [of.name, of.length, Object.keys(of)].join();
const attempt = (work) => { try { return work(); } catch (error) { return error.constructor.name + ' ' + error.message; } };
const insert = db.exec('CREATE TABLE t (a UNIQUE)').prepare('INSERT INTO t VALUES (?)');
console.log(JSON.stringify([
  shape(fs.rename), shape(fs.renameSync), shape(fs.promises.rename), shape(fs.fsync), shape(db.prepare), shape(insert.run),
  shape(require('pg').Client.prototype.query), shape(require('node:child_process').spawnSync),
  attempt(() => fs.renameSync('absent', 'there')), attempt(() => fs.rename('absent', 'there')), attempt(() => fs.renameSync()),
  insert.run(1), attempt(() => insert.run(1)), attempt(() => insert.run.call({}, 1)), attempt(() => db.prepare('NONSENSE')),
  db.transaction(() => insert.run(2))(), attempt(() => db.transaction(() => { throw new Error('mine'); })()),
  [...db.prepare('INSERT INTO t VALUES (3), (4) RETURNING a').iterate()], db.exec('DELETE FROM t') === db,
]));`;

test('results, errors, names and lengths of functions are those of a run without the hook', async (t) => {
  const step = new Step(t, programDir(t, { 'shapes.cjs': SHAPES }), 'plain');
  const hooked = await step.run('shapes.cjs');
  const plain = await step.run('shapes.cjs', [], { NODE_OPTIONS: '' });
  assert.equal(hooked.stdout, plain.stdout);
  assert.deepEqual([hooked.code, hooked.stderr], [0, '']);
  assert.ok(step.places().includes('sqlite DELETE t after#1'));
});

const THREADS = `
import { renameSync, writeFileSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
process.on('exit', () => isMainThread && writeFileSync('handler', ''));
writeFileSync(isMainThread ? 'a' : 'b', '');
renameSync(isMainThread ? 'a' : 'b', 'c');
if (isMainThread) new Worker(new URL(import.meta.url));`;

for (const [action, end] of [
  ['exit', { code: 86, signal: null }],
  ['kill', KILLED],
  ['abort', { code: null, signal: 'SIGABRT' }],
] as const) {
  test(`${action}: a worker counts with its process and takes it along, and the fault fires once`, async (t) => {
    const dir = programDir(t, { 'threads.mjs': THREADS });
    const step = new Step(t, dir, action, [{ at: 'fs rename after', hit: 2, action }]);
    assert.deepEqual(ending(await step.run('threads.mjs')), end);
    assert.ok(!existsSync(join(dir, 'handler')));
    assert.deepEqual(ending(await step.run('threads.mjs')), { code: 0, signal: null });
    assert.ok(existsSync(join(dir, 'handler')));
  });
}

test('hold: the event loop stands until the release, other processes pass', async (t) => {
  const dir = programDir(t, { 'shop.cjs': BUILT_IN });
  const at = 'sqlite INSERT charges before';
  const step = new Step(t, dir, 'held', [{ at, action: 'hold' }]);
  const { end } = step.start('shop.cjs', [], { DRILL_OWNER: process.pid });
  const { pid } = await step.held();
  assert.equal(rows(dir), 0);
  assert.equal((await step.run('shop.cjs')).code, 0);
  assert.equal(rows(dir), 2);
  writeFileSync(join(step.control, `release-${pid}-${encodeURIComponent(at)}-1`), '');
  assert.equal((await end).code, 0);
  assert.equal(rows(dir), 4);
});

test('hold: a held process ends when its owner is gone', async (t) => {
  const step = new Step(t, programDir(t, { 'shop.cjs': BUILT_IN }), 'held', [
    { at: 'sqlite INSERT charges before', action: 'hold' },
  ]);
  const owner = spawn('sleep', ['1000']);
  t.after(() => owner.kill('SIGKILL'));
  const { end } = step.start('shop.cjs', [], { DRILL_OWNER: owner.pid });
  await step.held();
  owner.kill('SIGKILL');
  assert.deepEqual(ending(await end), KILLED);
});

test('hold: however long a name is, it can be released', async (t) => {
  const source = `
    const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(':memory:').exec('CREATE TABLE "' + '\u{1F600} long'.repeat(40) + '" (a)');`;
  const dir = programDir(t, { 'long.cjs': source });
  const plain = new Step(t, dir, 'plain');
  assert.equal((await plain.run('long.cjs')).code, 0);
  const at = plain.lines()[0]?.boundary as string;
  const step = new Step(t, dir, 'held', [{ at, action: 'hold' }]);
  const { end } = step.start('long.cjs');
  const { pid } = await step.held();
  writeFileSync(join(step.control, `release-${pid}-${encodeURIComponent(at)}-1`), '');
  assert.equal((await end).code, 0);
});

test('DRILL_EXCLUDE takes boundaries away, DRILL_INCLUDE adds those of statements that read', async (t) => {
  const step = new Step(t, programDir(t, { 'shop.mjs': BETTER }), 'adjusted');
  const env = {
    DRILL_EXCLUDE: '["sqlite INSERT*", "sqlite COMMIT before", "sqlite CREATE *"]',
    DRILL_INCLUDE: '["sqlite SELECT charges"]',
  };
  assert.equal((await step.run('shop.mjs', [], env)).code, 0);
  assert.deepEqual(step.places(), [
    'sqlite COMMIT after#1',
    'sqlite UPDATE charges before#1',
    'sqlite UPDATE charges after#1',
    'sqlite SELECT charges before#1',
    'sqlite SELECT charges after#1',
  ]);
});

test('without DRILL_CONTROL nothing is hooked, and a Node that is too old is refused in one sentence', async (t) => {
  const old = "import m from 'node:module'; delete m.registerHooks; m.syncBuiltinESMExports();";
  const dir = programDir(t, { 'shop.cjs': BUILT_IN, 'old.mjs': old });
  const step = new Step(t, dir, 'plain');
  assert.equal((await step.run('shop.cjs', [], { DRILL_CONTROL: '' })).code, 0);
  assert.deepEqual(step.places(), []);
  const options = `--import ${join(dir, 'old.mjs')} ${HOOK}`;
  const { code, stderr } = await step.run('shop.cjs', [], { NODE_OPTIONS: options });
  assert.equal(code, 64);
  assert.match(stderr, /^recovery-drills: [^\n]*need Node 22\.15 or newer[^\n]*\n$/);
});
