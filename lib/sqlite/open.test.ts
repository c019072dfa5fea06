import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DrillError } from '../core/errors.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { BUSY_TIMEOUT_MS, commit, commitOrLeave, createDatabase, type Db, openDatabase } from './open.ts';

/** A connection whose disk gives out at one statement. */
function failingAt(statement: string, code: string): Db {
  return {
    inTransaction: true,
    exec(sql: string) {
      if (sql === statement) throw Object.assign(new Error('disk I/O error'), { code });
    },
  } as unknown as Db;
}

function thrownBy(db: Db, work: () => void = () => {}): DrillError {
  try {
    commit(db, 'store', 'name', {}, work);
  } catch (error) {
    assert.ok(error instanceof DrillError);
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('a disk that gives out inside COMMIT leaves it open whether anything changed; before it, nothing did', () => {
  for (const code of ['SQLITE_IOERR_FSYNC', 'SQLITE_FULL']) {
    assert.equal(thrownBy(failingAt('COMMIT', code)).definite, false, code);
    assert.equal(thrownBy(failingAt('BEGIN IMMEDIATE', code)).definite, true, code);
    const inside = thrownBy(failingAt('', code), () => {
      throw Object.assign(new Error('full'), { code });
    });
    assert.equal(inside.definite, true, code);
  }
});

test('every connection that writes has WAL, FULL, foreign keys and the bounded wait in force', (t) => {
  const file = join(tempDir(t), 'a.sqlite');
  for (const open of [() => createDatabase(file, 'CREATE TABLE one (a);'), () => openDatabase(file)]) {
    const db = open();
    const inForce = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map((name) =>
      db.pragma(name, { simple: true }),
    );
    db.close();
    assert.deepEqual(inForce, ['wal', 2, 1, BUSY_TIMEOUT_MS]);
  }
});

test('a commit that is left rolls back, passes no boundary, and hands its answer out', (t) => {
  const db = createDatabase(join(tempDir(t), 'a.sqlite'), 'CREATE TABLE one (a);');
  const count = () => db.prepare('SELECT count(*) FROM one').pluck().get();
  const insert = () => db.prepare('INSERT INTO one VALUES (1)').run();
  const left = commitOrLeave<string>(db, 'store', 'name', {}, (leave) => {
    insert();
    return leave('left');
  });
  assert.deepEqual([left, count(), db.inTransaction], ['left', 0, false]);
  commitOrLeave<void>(db, 'store', 'name', {}, () => void insert());
  assert.equal(count(), 1);
  assert.throws(
    () =>
      commitOrLeave(db, 'store', 'name', {}, () => {
        insert();
        throw new Error('a defect is not an answer');
      }),
    /a defect/,
  );
  assert.equal(count(), 1);
  db.close();
});

test('a database that cannot be made whole leaves nothing behind', (t) => {
  const dir = tempDir(t);
  const file = join(dir, 'a.sqlite');
  assert.throws(() => createDatabase(file, 'CREATE TABLE one (a); CREATE TABLE one (a);'));
  assert.deepEqual(readdirSync(dir), []);
  createDatabase(file, 'CREATE TABLE one (a);').close();
  assert.ok(existsSync(file));
});

test('a database that is there is left to the byte', (t) => {
  const file = join(tempDir(t), 'a.sqlite');
  writeFileSync(file, '');
  assert.throws(
    () => createDatabase(file, 'CREATE TABLE one (a);'),
    (error: unknown) => error instanceof DrillError && error.code === 'would-overwrite',
  );
  assert.equal(readFileSync(file).length, 0);
});

test('a folder that is not there is said in a sentence', (t) => {
  assert.throws(
    () => createDatabase(join(tempDir(t), 'missing', 'a.sqlite'), 'CREATE TABLE one (a);'),
    (error: unknown) => error instanceof DrillError && error.code === 'unavailable',
  );
});
