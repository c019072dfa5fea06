import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameRequest } from './http-name.ts';
import { nameCommand } from './redis-name.ts';
import { nameStatements, nameTogether } from './sql-name.ts';

/** The name of a statement that writes; in brackets where it only reads. */
function named(sql: string): string {
  const { name, writes } = nameTogether(nameStatements(sql));
  return writes ? name : `[${name}]`;
}

const WRITES: Record<string, string> = {
  commit: 'COMMIT',
  END: 'COMMIT',
  'UPDATE ONLY "Foo".bar SET x = \'a; b\' -- c\n WHERE id = 17': 'UPDATE Foo.bar',
  'insert into a.b(c) values (1)': 'INSERT a.b',
  'select graphile_worker.add_job($1, $2)': 'SELECT graphile_worker.add_job',
  'WITH next AS (SELECT id FROM q FOR UPDATE SKIP LOCKED) UPDATE pgboss.job j SET s = 1 FROM next':
    'UPDATE pgboss.job',
  'WITH a(x, y) AS MATERIALIZED (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM a': 'INSERT t',
  '(select 1) union (select foo())': 'SELECT foo',
  "select pg_notify('a', 'b')": 'SELECT pg_notify',
  'select app.count(1)': 'SELECT app.count',
  "select nextval('s')": 'SELECT nextval',
  'select 1 into temp table made from t': 'SELECT INTO made',
  "notify jobs, 'x'": 'NOTIFY jobs',
  'copy t from stdin': 'COPY t',
  'copy (delete from t returning *) to stdout': 'COPY DELETE t',
  'explain (analyze) delete from t': 'EXPLAIN DELETE t',
  'create unique index concurrently if not exists by_x on t (x)': 'CREATE INDEX by_x',
  'do $a$ begin perform $$;$$; end $a$; insert into x values (1)': 'DO; INSERT x',
  "insert into t values (E'\\'; drop'); insert into t values (2); commit": 'INSERT t; COMMIT',
  'create function f() returns int language sql begin atomic select case when true then 1 end; end; commit':
    'CREATE FUNCTION f; COMMIT',
  "prepare transaction 'x'": 'PREPARE TRANSACTION',
  "commit prepared 'x'": 'COMMIT PREPARED',
  'insert into tmp_1712345678 values (1)': 'INSERT tmp_#',
  'create table a(); create table b(); create table c(); create table d()':
    'CREATE TABLE a; CREATE TABLE b; CREATE TABLE c; …',
};

const READS: Record<string, string> = {
  begin: '[BEGIN]',
  '': '[]',
  'rollback to savepoint s': '[ROLLBACK]',
  'SELECT count(*), now() FROM t WHERE id IN (SELECT id FROM u) AND x = ANY($1) FOR UPDATE SKIP LOCKED':
    '[SELECT t]',
  'with a(x, y) as (select 1, 2), b(z) as (select 3) select * from a, b': '[SELECT a]',
  'select * from json_to_recordset($1) as x(a int, b varchar(10))': '[SELECT json_to_recordset]',
  "select x::varchar(10), cast(y as numeric(10, 2)), 'foo(1)' /* add_job() /* nested() */ */ from t":
    '[SELECT t]',
  'select pg_catalog.set_config($1, $2, false)': '[SELECT pg_catalog.set_config]',
  'copy t(a, b) to stdout': '[COPY t]',
  'explain delete from t': '[EXPLAIN DELETE t]',
  'declare c cursor for select * from t': '[DECLARE SELECT t]',
  'listen jobs': '[LISTEN]',
};

test('a statement that can write is named by its verb and what it touches', () => {
  for (const [sql, name] of Object.entries(WRITES)) assert.equal(named(sql), name, sql);
});

test('a statement that leaves nothing behind does not write', () => {
  for (const [sql, name] of Object.entries(READS)) assert.equal(named(sql), name, sql);
});

test('a statement that is cut off anywhere is still named', () => {
  for (const sql of [...Object.keys(WRITES), ...Object.keys(READS)]) {
    for (let length = 0; length < sql.length; length += 1) named(sql.slice(0, length));
  }
  assert.equal(named(`insert into t values ('${'x'.repeat(1_000_000)}`), 'INSERT t');
});

test('a Redis command is named by its words, without keys', () => {
  const cases: [string[], string, boolean][] = [
    [['set', 'key', 'value'], 'SET', true],
    [['EVALSHA', 'c0ffee', '0'], 'EVALSHA', true],
    [['xgroup', 'create', 'jobs'], 'XGROUP CREATE', true],
    [['fcall', 'reserve', '0'], 'FCALL reserve', true],
    [['BZPOPMIN', 'a', '0'], 'BZPOPMIN', true],
    [['exec'], 'EXEC', true],
    [['GET', 'key'], 'GET', false],
    [['client', 'setname', 'x'], 'CLIENT SETNAME', false],
    [['multi'], 'MULTI', false],
    [['constructor'], 'CONSTRUCTOR', true],
  ];
  for (const [words, name, writes] of cases) assert.deepEqual(nameCommand(words), { name, writes });
});

test('a request is named by its method and path, without ids and query', () => {
  const cases: [string, string, string, boolean][] = [
    ['POST', '/v1/charges?key=1', 'POST /v1/charges', true],
    ['PUT', '/orders/17/items/o-1', 'PUT /orders/:id/items/:id', true],
    ['DELETE', '/customers/cus_9s6XKzkNRiz8i3', 'DELETE /customers/:id', true],
    ['PATCH', '/x/3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'PATCH /x/:id', true],
    ['POST', '/oauth2/token', 'POST /oauth2/token', true],
    ['POST', '/api-v2/a%40b.example', 'POST /api-v2/:id', true],
    ['POST', 'http://host:1/charges', 'POST /charges', true],
    ['GET', '/', 'GET /', false],
  ];
  for (const [method, url, name, writes] of cases)
    assert.deepEqual(nameRequest(method, url), { name, writes });
});
