import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, openReadOnly } from '../sqlite/open.ts';
import type { FileState, Integrity } from './model.ts';

/** A store opened for assessment, or why it could not be. */
export interface ReadStore {
  store: string;
  file: string;
  db: Db | null;
  problem: 'missing' | 'unreadable' | null;
}

/**
 * Opens the lab's databases for assessment, hands them over, closes them. A missing or unreadable file is a fact
 * that evidence states, never an error.
 */
export function withStores<T>(
  dir: string,
  stores: readonly { id: string; file: string; tables: readonly string[] }[],
  read: (stores: Record<string, ReadStore>) => T,
): T {
  const open: Record<string, ReadStore> = {};
  try {
    for (const store of stores) open[store.id] = openStore(dir, store);
    return read(open);
  } finally {
    for (const { db } of Object.values(open)) db?.close();
  }
}

function openStore(
  dir: string,
  { id: store, file, tables }: { id: string; file: string; tables: readonly string[] },
): ReadStore {
  const path = join(dir, file);
  if (!existsSync(path)) return { store, file, db: null, problem: 'missing' };
  try {
    return { store, file, db: openReadOnly(path, tables), problem: null };
  } catch {
    return { store, file, db: null, problem: 'unreadable' };
  }
}

/** Rows of a query, or none where the store is gone or holds no such table. */
export function rows<T>(store: ReadStore | undefined, sql: string): T[] {
  if (!store?.db) return [];
  try {
    return store.db.prepare(sql).all() as T[];
  } catch {
    return [];
  }
}

/** `quick_check` and `foreign_key_check` of every store, with `missing` and `unreadable` said as such. */
export function integrityOf(stores: Record<string, ReadStore>): Integrity[] {
  return Object.values(stores).map(({ store, db, problem }) => {
    if (!db) return { store, quickCheck: problem ?? 'missing', foreignKeys: problem ?? 'missing' };
    try {
      const quick = db.pragma('quick_check') as { quick_check: string }[];
      const keys = db.pragma('foreign_key_check') as unknown[];
      return {
        store,
        quickCheck: quick.map((row) => row.quick_check).join('; '),
        foreignKeys: keys.length === 0 ? 'ok' : `${keys.length} broken`,
      };
    } catch (error) {
      return { store, quickCheck: (error as Error).message, foreignKeys: 'unreadable' };
    }
  });
}

/** Which of the lab's files are there. */
export function filesOf(stores: Record<string, ReadStore>): FileState[] {
  return Object.values(stores).map(({ store, file, problem }) => ({
    store,
    file,
    present: problem !== 'missing',
  }));
}
