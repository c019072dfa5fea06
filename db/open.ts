/** The dashboard's own store: one SQLite file a data directory, opened when first asked for. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { DrillError } from '#lib/core/errors.ts';
import { makeDirectory } from '#lib/core/paths.ts';
import { projectRoot } from '#lib/core/project-root.ts';
import { BUSY_TIMEOUT_MS, type Db, translate } from '#lib/sqlite/open.ts';
import { migrate, readMigrations } from './migrate.ts';

// A bundler may load this module several times in one process; all of them must share one connection.
const KEY = Symbol.for('recovery-drills.store');
interface Open {
  db: Db;
  /** Of the file that is open. */
  inode: bigint | null;
}

type Shared = typeof globalThis & { [KEY]?: Map<string, Open> };

function shared(): Map<string, Open> {
  const holder = globalThis as Shared;
  holder[KEY] ??= new Map();
  return holder[KEY];
}

/** The directory that holds the store and the runs: `DRILL_DATA_DIR`, else `.data` beside package.json. */
export function dataDirectory(): string {
  const given = process.env.DRILL_DATA_DIR;
  return given ? resolve(given) : join(projectRoot(), '.data');
}

function connect(dir: string): Db {
  let db: Db | undefined;
  try {
    makeDirectory(join(dir, 'runs'));
    db = new Database(join(dir, 'dashboard.sqlite'), { timeout: BUSY_TIMEOUT_MS });
    db.pragma('journal_mode = WAL');
    // better-sqlite3 defaults to NORMAL in WAL mode; an intent that a power cut can take back is no intent.
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    migrate(db, readMigrations(join(projectRoot(), 'db', 'migrations')));
    return db;
  } catch (error) {
    db?.close();
    const known = translate(error);
    if (known instanceof DrillError && known.code === 'refused') throw known;
    const why = known instanceof Error ? known.message : String(known);
    if (known instanceof DrillError && known.code === 'not-a-database') {
      throw new DrillError(
        'not-a-database',
        `dashboard.sqlite in ${dir} is no store of this program; it was left as it is. Move it away, or set DRILL_DATA_DIR to another directory.`,
        { cause: error },
      );
    }
    throw new DrillError(
      'unavailable',
      `The data directory ${dir} cannot be used: ${why.replace(/\.$/, '')}. Make it writable, or set DRILL_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
}

/**
 * The store of the data directory, opened and migrated at the first call.
 *
 * @throws DrillError `unavailable` where the directory cannot be written or was deleted meanwhile, `refused` where newer code wrote it,
 *   `not-a-database` where something else has its name
 */
export function store(dir: string = dataDirectory()): Db {
  const open = shared();
  const known = open.get(dir);
  if (known?.db.open) {
    requireInPlace(dir, known.inode);
    return known.db;
  }
  const db = connect(dir);
  open.set(dir, { db, inode: inodeOf(dir) });
  return db;
}

const inodeOf = (dir: string): bigint | null =>
  statSync(join(dir, 'dashboard.sqlite'), { bigint: true, throwIfNoEntry: false })?.ino ?? null;

/** A file that was deleted or replaced stays open, takes every write, and is gone when it is closed. */
function requireInPlace(dir: string, inode: bigint | null): void {
  if (inodeOf(dir) === inode) return;
  throw new DrillError(
    'unavailable',
    `dashboard.sqlite in ${dir} was deleted or replaced while this program had it open; nothing was written. End this program, put the directory back, and start again.`,
  );
}

/**
 * Does commits that a power cut may take back together with everything after them, though no death of a process can:
 * what is of use to this boot alone, or can be had again.
 */
export function withoutDiskWait<T>(db: Db, work: () => T): T {
  db.pragma('synchronous = NORMAL');
  try {
    return work();
  } finally {
    db.pragma('synchronous = FULL');
  }
}

/** Closes a store that was opened; one that was not stays as it is. */
export function closeStore(dir: string = dataDirectory()): void {
  shared().get(dir)?.db.close();
  shared().delete(dir);
}
