import type { Statement } from 'better-sqlite3';
import type { Db } from '#lib/sqlite/open.ts';

const prepared = new WeakMap<Db, Map<string, Statement>>();

/** A statement prepared once a connection. */
export function statement(db: Db, sql: string): Statement {
  let known = prepared.get(db);
  if (!known) {
    known = new Map();
    prepared.set(db, known);
  }
  let found = known.get(sql);
  if (!found) {
    found = db.prepare(sql);
    known.set(sql, found);
  }
  return found;
}
