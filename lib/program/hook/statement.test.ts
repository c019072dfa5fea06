import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fingerprint } from './statement.mjs';

const WRITES: [string, string][] = [
  ['COMMIT', 'COMMIT'],
  ['end', 'COMMIT'],
  ['RELEASE SAVEPOINT a', 'RELEASE'],
  ["INSERT INTO charges(id) VALUES ('a;b')", 'INSERT charges'],
  ['INSERT OR IGNORE INTO "my t" VALUES (?)', 'INSERT my t'],
  ['REPLACE INTO a.b VALUES(1)', 'INSERT a.b'],
  ['insert into t values(1) on conflict(id) do update set x = 1', 'INSERT t'],
  ['UPDATE ONLY "Public"."Order" SET x = 1', 'UPDATE Public.Order'],
  ['delete from [my table] where a = 1', 'DELETE my table'],
  [
    'WITH n AS (SELECT id FROM j FOR UPDATE SKIP LOCKED) UPDATE pgboss.job j SET x = 1 FROM n',
    'UPDATE pgboss.job',
  ],
  ['WITH x AS (DELETE FROM a RETURNING *) SELECT * FROM x', 'DELETE a'],
  ['WITH moved AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM moved', 'INSERT b'],
  ["SELECT graphile_worker.add_job('x', '{}')", 'SELECT graphile_worker.add_job'],
  ['select * from add_job($1)', 'SELECT add_job'],
  ["select nextval('s')", 'SELECT nextval'],
  ['select public.now()', 'SELECT public.now'],
  ['(select 1) union (select f(2))', 'SELECT f'],
  ['select * into foo from bar', 'SELECT INTO foo'],
  ['/* a /* b */ c */ DELETE FROM t', 'DELETE t'],
  ['COPY t (a, b) FROM STDIN', 'COPY t'],
  ['CALL app.do_it(1)', 'CALL app.do_it'],
  ['DO $$ BEGIN DELETE FROM t; END $$', 'DO'],
  ['CREATE TABLE IF NOT EXISTS x.y (a int)', 'CREATE TABLE x.y'],
  ['CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON t(a)', 'CREATE INDEX i'],
  ['ALTER TABLE ONLY t ADD a int', 'ALTER TABLE t'],
  [
    'CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE x SET a = CASE WHEN 1 THEN 2 END; DELETE FROM y; END; INSERT INTO z VALUES (1)',
    'CREATE TRIGGER g, INSERT z',
  ],
  ['BEGIN; INSERT INTO a VALUES (1); UPDATE b SET x = 1; COMMIT', 'INSERT a, UPDATE b, COMMIT'],
  ['explain analyze delete from t', 'EXPLAIN DELETE t'],
  ['NOTIFY foo', 'NOTIFY foo'],
  ['TRUNCATE TABLE a', 'TRUNCATE a'],
  ['REFRESH MATERIALIZED VIEW CONCURRENTLY mv', 'REFRESH mv'],
  ['merge into t using s on a = b when matched then delete', 'MERGE t'],
  ["UPDATE t SET a = E'\\'' WHERE b = $tag$;$tag$", 'UPDATE t'],
  ['INSERT INTO p_20240101 VALUES (1)', 'INSERT p_:n'],
  ["COMMIT PREPARED 'x'", 'COMMIT PREPARED'],
];

const READS = [
  'BEGIN',
  'begin immediate',
  'START TRANSACTION',
  'ROLLBACK',
  'ROLLBACK TO SAVEPOINT x1',
  'SAVEPOINT a',
  'SET x = 1',
  'SHOW a',
  'PRAGMA journal_mode = WAL',
  'LISTEN foo',
  'select now(), count(*) from orders o where id = any($1)',
  "select 'insert into x' from t -- delete from y",
  'WITH x(a, b) AS (SELECT 1, 2) SELECT count(*) FROM x',
  "with t as (select replace(a, 'x', 'y') z from q) select * from t",
  'select id from t for update of t skip locked',
  'select * from jsonb_to_recordset($1) as x(a int)',
  'select * from unnest($1::int[]) t(a)',
  'select a::varchar(10), x.y from t where (a) in (1)',
  'SELECT pg_advisory_xact_lock(1)',
  'SELECT $name, @a, :b, ?1 FROM t',
  'select pg_catalog.now()',
  'COPY t TO STDOUT',
  'EXPLAIN QUERY PLAN DELETE FROM t',
  'values (1)',
  '',
  ' ; -- nothing',
];

test('a statement that can write is named by its verb and what it touches', () => {
  for (const [sql, name] of WRITES) assert.deepEqual(fingerprint(sql), { name, writes: true }, sql);
});

test('a statement that only reads or concerns its session does not write', () => {
  for (const sql of READS) assert.equal(fingerprint(sql).writes, false, sql);
});

test('literals, comments and space change no name', () => {
  const text = fc.string().map((value) => value.replaceAll("'", "''"));
  fc.assert(
    fc.property(text, fc.integer(), (value, number) => {
      const comment = `/* ${value.replaceAll(/[*/]/g, '')} */`;
      const sql = `${comment} INSERT\n INTO charges -- '\n VALUES ('${value}', ${number}, $q$${value.replaceAll('$', '')}$q$)`;
      assert.deepEqual(fingerprint(sql), { name: 'INSERT charges', writes: true });
    }),
  );
});

test('any text has a name, and no text throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (sql) => {
      const { name, writes } = fingerprint(sql);
      assert.ok(name.length > 0 && typeof writes === 'boolean');
    }),
  );
});
