/** The two databases: made whole or not at all, opened together, never in one transaction. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { committed } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import { existsSync, mkdirSync, readFileSync, statSync } from '../../core/fs.ts';
import { createWhole } from '../../sqlite/create-whole.ts';
import { type Db, openDatabase, openReadOnly } from '../../sqlite/open.ts';
import { type Terms, terms } from './service.ts';
import { RUNS, TICKETS } from './words.ts';

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

/** True for a service of this lab on the same terms that has never made a ticket. */
function isUntouched(dir: string, { lag, keys }: Terms): boolean {
  try {
    const db = openForReading(dir, TICKETS);
    try {
      const published = terms(db);
      const made = db.prepare('SELECT count(*) FROM tickets').pluck().get();
      return made === 0 && published.lag === lag && published.keys === keys;
    } finally {
      db.close();
    }
  } catch {
    // Whatever cannot be read so is none of ours, and is left alone.
    return false;
  }
}

/**
 * Creates both databases, each whole or not at all, the service first. Where an init died between the two, the second
 * is made up for: a service that has never made a ticket proves that no run that had an effect is lost.
 *
 * @throws DrillError `would-overwrite` where one of them is there and it is not that
 */
export function createStores(dir: string, published: Terms): void {
  mkdirSync(dir, { recursive: true });
  const [runs, tickets] = [RUNS, TICKETS].map(({ file }) => existsSync(join(dir, file)));
  const half = tickets && !runs && isUntouched(dir, published);
  if (!half && (runs || tickets)) throw wouldOverwrite();
  const { lag, keys } = published;
  const row = `INSERT INTO service VALUES (1, ${lag}, ${keys ? 1 : 0})`;
  for (const { id, file } of half ? [RUNS] : [TICKETS, RUNS]) {
    createWhole(join(dir, file), id === TICKETS.id ? `${schema(id)} ${row}` : schema(id));
    committed(id, `creation-${id}`);
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
