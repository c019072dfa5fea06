/** Child side of the kit: opening stores, damage, refusals. Executors load it, so it imports no manifest. */
import { join } from 'node:path';
import { committed } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from '../../core/fs.ts';
import type { JsonObject } from '../../core/json.ts';
import { copyRaw } from '../../evidence/files.ts';
import { createWhole } from '../../sqlite/create-whole.ts';
import { commitOrLeave, type Db, openDatabase, openReadOnly } from '../../sqlite/open.ts';
import type { Command, Outcome } from '../child.ts';

export interface ChildStore {
  id: string;
  file: string;
  tables: readonly string[];
}

/** A refusal of the lab's own, exit 3, with nothing written. */
export function refusal(status: string, message: string, more: JsonObject = {}): Outcome {
  return { exit: 3, reply: { status, ...more, definite: true, message } };
}

/** `init` of a lab with one store. @throws DrillError `would-overwrite` where anything has that name already */
export function creates(store: ChildStore, schema: string): Command {
  return ({ dir }) => {
    mkdirSync(dir, { recursive: true });
    createWhole(join(dir, store.file), readFileSync(schema, 'utf8'));
    committed(store.id, 'creation');
    return { exit: 0, reply: { status: 'created' } };
  };
}

function using<T>(db: Db, work: (db: Db) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Opens a store for writing and closes it afterwards. @throws DrillError `no-database` or `not-a-database` */
export function withStore<T>(dir: string, store: ChildStore, work: (db: Db) => T): T {
  return using(openDatabase(join(dir, store.file), store.tables), work);
}

/** Opens a store for reading alone; the file stays as it was. @throws DrillError as `withStore` */
export function readStore<T>(dir: string, store: ChildStore, read: (db: Db) => T): T {
  return using(openReadOnly(join(dir, store.file), store.tables), read);
}

function remove(dir: string, { file }: ChildStore): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dir, file + suffix), { force: true });
}

/** Damage: the store's files are gone. */
export function deletes(store: ChildStore): Command {
  return ({ dir }) => {
    remove(dir, store);
    return { exit: 0, reply: { status: 'deleted', store: store.id } };
  };
}

/** Damage: the store's file is plain text. */
export function overwrites(store: ChildStore): Command {
  return ({ dir }) => {
    remove(dir, store);
    const text = 'This was a database once. It is plain text now, long enough to be looked at.\n';
    writeFileSync(join(dir, store.file), text);
    return { exit: 0, reply: { status: 'overwritten', store: store.id } };
  };
}

/** Damage: the raw copy of the store that an earlier step left is put back, with its `-wal`. */
export function restores(store: ChildStore): Command {
  return ({ dir, args }) => {
    if (typeof args.from !== 'string' || !existsSync(join(args.from, store.file)))
      throw new DrillError('usage', 'That step left no copy of the database to put back.');
    remove(dir, store);
    copyRaw([store.file], args.from, dir);
    return { exit: 0, reply: { status: 'restored', store: store.id } };
  };
}

/** Damage: rows are changed by SQL. A refusal where there is no such row. @param what "receipt", "ticket" */
export function changes(store: ChildStore, what: string, sql: string, ...values: string[]): Command {
  return ({ dir }) =>
    withStore(dir, store, (db) => {
      const rows = commitOrLeave<number>(db, store.id, 'damage', {}, (leave) => {
        const changed = db.prepare(sql).run(...values).changes;
        return changed > 0 ? changed : leave(0);
      });
      if (rows === 0) return refusal('nothing-to-damage', `There is no ${what} to damage.`);
      return { exit: 0, reply: { status: 'damaged', rows } };
    });
}
