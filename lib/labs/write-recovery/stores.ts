/** The two databases: made whole or not at all, opened together, never in one transaction. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { committed } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import { existsSync, mkdirSync, readFileSync } from '../../core/fs.ts';
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

/** Opens one store for reading. @throws DrillError as `openReadOnly`; the file stays as it was */
export function openForReading(dir: string, { file, tables }: typeof RUNS | typeof TICKETS): Db {
  return openReadOnly(join(dir, file), tables);
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
  // Both are looked at before either is opened for writing, which would empty its write-ahead log when it closes.
  readStores(dir, () => undefined);
  const runs = openDatabase(join(dir, RUNS.file), RUNS.tables);
  try {
    const tickets = openDatabase(join(dir, TICKETS.file), TICKETS.tables);
    try {
      return work({ runs, tickets, now, without });
    } finally {
      tickets.close();
    }
  } finally {
    runs.close();
  }
}
