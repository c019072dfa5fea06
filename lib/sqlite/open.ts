/** How a lab opens its databases: one place for the pragmas, the bounded wait and the shape of a commit. */

import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { boundary, commitCount, committed } from '../boundary/boundary.ts';
import { DrillError } from '../core/errors.ts';
import { closeSync, existsSync, openSync, rmSync, statSync } from '../core/fs.ts';

export type Db = Database.Database;

/** Bounded wait for the write lock, in milliseconds; then the caller exits 75. */
export const BUSY_TIMEOUT_MS = 5_000;

function configure(db: Db): Db {
  db.pragma('journal_mode = WAL');
  // better-sqlite3 defaults to NORMAL in WAL mode; a drill about durability must not.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  return db;
}

function isSqliteError(error: unknown, ...codes: string[]): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && codes.some((prefix) => code.startsWith(prefix));
}

/**
 * Turns what SQLite throws into the project's own sentence; anything else passes through.
 *
 * @param committing the error came out of COMMIT itself: a frame that could not be written or synced may be there
 *   all the same, and a later recovery of the write-ahead log would find it
 */
export function translate(error: unknown, committing = false): unknown {
  if (error instanceof DrillError) return error;
  const definite = commitCount() === 0;
  if (isSqliteError(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) {
    const nothing = definite ? ' Nothing was changed.' : ' An earlier commit of this call stands.';
    return new DrillError(
      'busy',
      `Another process held the write lock for longer than the bounded wait.${nothing}`,
      {
        definite,
        cause: error,
      },
    );
  }
  if (isSqliteError(error, 'SQLITE_NOTADB', 'SQLITE_CORRUPT')) {
    return new DrillError('not-a-database', 'A file is there, but it is not a sound SQLite database.', {
      definite,
      cause: error,
    });
  }
  if (isSqliteError(error, 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN')) {
    return new DrillError('unavailable', `The database could not be written: ${(error as Error).message}.`, {
      definite: definite && !committing,
      cause: error,
    });
  }
  return error;
}

/** Takes a name for a database to come; of two that want it at once, one gets it. */
function takeName(file: string): void {
  try {
    closeSync(openSync(file, 'wx'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new DrillError('would-overwrite', 'A database is already there; it was left as it is.');
    }
    throw new DrillError('unavailable', `The database could not be made: ${(cause as Error).message}.`, {
      definite: commitCount() === 0,
      cause,
    });
  }
}

/**
 * Creates a database with its schema in one commit. Where that fails nothing is left of it.
 *
 * @throws DrillError `would-overwrite` when anything lies at that path, `unavailable` where it cannot be written
 */
export function createDatabase(file: string, schema: string): Db {
  takeName(file);
  let db: Db | undefined;
  try {
    db = configure(new Database(file, { timeout: BUSY_TIMEOUT_MS }));
    db.exec(`BEGIN IMMEDIATE; ${schema}; COMMIT;`);
    return db;
  } catch (error) {
    db?.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    throw translate(error);
  }
}

/**
 * Opens an existing database for writing.
 *
 * @param tables that make the file a database of the lab
 * @throws DrillError as `openReadOnly`, before anything is written
 */
export function openDatabase(file: string, tables: readonly string[] = []): Db {
  // Looked at first through a connection that cannot write: opening somebody else's file for writing changes it.
  openReadOnly(file, tables).close();
  try {
    return configure(new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS }));
  } catch (error) {
    throw translate(error);
  }
}

function requireTables(db: Db, file: string, tables: readonly string[]): void {
  const found = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  if (tables.every((table) => found.includes(table))) return;
  const why = `"${basename(file)}" is no database of this lab; it was left as it is.`;
  throw new DrillError('not-a-database', why, { definite: commitCount() === 0 });
}

/**
 * Opens an existing database for assessment. A read-write open and close would checkpoint a crashed WAL database
 * and delete its `-wal` file, the very thing that is to be shown.
 *
 * @param tables that make the file a database of the lab
 * @throws DrillError `no-database` where there is none (it is never created), `not-a-database` where the file
 *   is something else, empty or another program's; it stays as it was
 */
export function openReadOnly(file: string, tables: readonly string[] = []): Db {
  const name = basename(file);
  if (!existsSync(file)) {
    throw new DrillError('no-database', `There is no "${name}" here; it was not created. Run init first.`);
  }
  const stat = statSync(file);
  const definite = commitCount() === 0;
  if (!stat.isFile()) throw new DrillError('not-a-database', `"${name}" is no file.`, { definite });
  // SQLite takes an empty file for an empty database and would make one of it.
  if (stat.size === 0) throw new DrillError('not-a-database', `"${name}" is an empty file.`, { definite });
  let db: Db | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    requireTables(db, file, tables);
    return db;
  } catch (error) {
    db?.close();
    if (isSqliteError(error, 'SQLITE_CANTOPEN')) {
      const why = `"${name}" could not be opened: SQLite has to make files beside it, or to read it, and cannot.`;
      throw new DrillError('unavailable', why, { definite, cause: error });
    }
    throw translate(error);
  }
}

export interface CommitOptions {
  /** Boundary inside the transaction, the write lock held, everything written and nothing committed. */
  before?: string;
  /** Boundary right after the commit. */
  after?: string;
}

/**
 * One serialized commit: BEGIN IMMEDIATE, the work, the boundary before, COMMIT, a trace line, the boundary
 * after. The work must be synchronous: an async function would commit at its first await.
 *
 */
export function commit<T>(db: Db, store: string, name: string, options: CommitOptions, work: () => T): T {
  let open = false;
  let committing = false;
  try {
    db.exec('BEGIN IMMEDIATE');
    open = true;
    const result = work();
    if (options.before) boundary(options.before);
    committing = true;
    db.exec('COMMIT');
    committing = false;
    open = false;
    committed(store, name);
    if (options.after) boundary(options.after);
    return result;
  } catch (error) {
    if (open && db.inTransaction) db.exec('ROLLBACK');
    throw translate(error, committing);
  }
}

class Leave<T> extends Error {
  readonly answer: T;
  constructor(answer: T) {
    super('left without a commit');
    this.answer = answer;
  }
}

/**
 * A commit that may find, with the write lock in hand, that there is nothing to write: `leave` then rolls back,
 * and the answer comes out without a boundary, a commit or a line in the trace.
 */
export function commitOrLeave<T>(
  db: Db,
  store: string,
  name: string,
  options: CommitOptions,
  work: (leave: (answer: T) => never) => T,
): T {
  try {
    return commit(db, store, name, options, () =>
      work((answer) => {
        throw new Leave(answer);
      }),
    );
  } catch (error) {
    if (error instanceof Leave) return error.answer as T;
    throw error;
  }
}

/** One consistent snapshot: every read inside sees the same state; writes nothing. */
export function snapshot<T>(db: Db, read: () => T): T {
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    db.exec('COMMIT');
  }
}
