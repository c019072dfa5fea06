/** The two databases: made whole or not at all, opened together, never in one transaction. */
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { committed } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import { createDatabase, type Db, openDatabase, openReadOnly } from '../../sqlite/open.ts';
import { RUNS, STORES, TICKETS } from './words.ts';

/** One command at work: both connections, the clock, and the rules that are off. */
export interface Work {
  runs: Db;
  tickets: Db;
  now: number;
  without: ReadonlySet<string>;
}

const TABLES: Record<string, string[]> = {
  [RUNS.id]: ['compensations', 'events', 'runs'],
  [TICKETS.id]: ['observer', 'service', 'tickets', 'voids'],
};

function schema(name: string): string {
  return readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'schema', `${name}.sql`), 'utf8');
}

/**
 * Creates both databases under their final names, so that an init that dies leaves no half-made file behind.
 *
 * @throws DrillError `would-overwrite` where one of them is there already
 */
export function createStores(dir: string, { lag, keys }: { lag: number; keys: boolean }): void {
  mkdirSync(dir, { recursive: true });
  if (STORES.some(({ file }) => existsSync(join(dir, file)))) throw wouldOverwrite();
  const terms = `INSERT INTO service VALUES (1, ${lag}, ${keys ? 1 : 0})`;
  for (const { id, file } of [TICKETS, RUNS]) {
    const draft = join(dir, `.${file}-${process.pid}`);
    try {
      createDatabase(draft, id === TICKETS.id ? `${schema(id)} ${terms}` : schema(id)).close();
      linkSync(draft, join(dir, file));
      committed(id, `creation-${id}`);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? wouldOverwrite() : error;
    } finally {
      for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
    }
  }
}

function wouldOverwrite(): DrillError {
  return new DrillError('would-overwrite', 'A database of this lab is already there; it was left as it is.');
}

/** Opens one store for reading. @throws DrillError `no-database` or `not-a-database`; the file stays as it was */
export function openForReading(dir: string, store: { id: string; file: string }): Db {
  const file = join(dir, store.file);
  if (!existsSync(file)) {
    throw new DrillError(
      'no-database',
      `There is no ${store.file} here; it was not created. Run init first.`,
    );
  }
  const db = openReadOnly(file);
  try {
    // SQLite takes an empty file for an empty database and would make one of it.
    if (statSync(file).size === 0) throw new DrillError('not-a-database', `${store.file} is an empty file.`);
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    if (TABLES[store.id]?.every((table) => names.includes(table))) return db;
    throw new DrillError('not-a-database', `${store.file} is no database of this lab; it was left as it is.`);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Both stores for reading. @throws DrillError as `openForReading` */
export function readStores<T>(dir: string, read: (stores: { runs: Db; tickets: Db }) => T): T {
  const runs = openForReading(dir, RUNS);
  try {
    const tickets = openForReading(dir, TICKETS);
    try {
      return read({ runs, tickets });
    } finally {
      tickets.close();
    }
  } finally {
    runs.close();
  }
}

/** Both stores for writing. @throws DrillError as `openForReading`, before anything is written */
export function withWork<T>(
  { dir, now, without }: { dir: string; now: number; without: ReadonlySet<string> },
  work: (work: Work) => T,
): T {
  // Looked at first through connections that cannot write: opening somebody else's file for writing changes it.
  readStores(dir, () => undefined);
  const runs = openDatabase(join(dir, RUNS.file));
  try {
    const tickets = openDatabase(join(dir, TICKETS.file));
    try {
      return work({ runs, tickets, now, without });
    } finally {
      tickets.close();
    }
  } finally {
    runs.close();
  }
}
