/** What a process leaves behind: the databases of a run as a value that can be copied, and told from another. */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreSpec } from '../../labs/contract.ts';
import { type Db, openReadOnly } from '../../sqlite/open.ts';

export interface State {
  /** Equal for equal content and equal layout of files. */
  id: string;
  /** Where a raw copy lies; null before anything was written. */
  dir: string | null;
  /** Names of the files that the copy was kept with. */
  files: readonly string[];
}

export const NOTHING: State = { id: 'nothing', dir: null, files: [] };

/** Which files there are and how much the log holds: a crash leaves a `-wal`, an orderly end takes it away. */
function addLayout(hash: Hash, file: string): void {
  const wal = `${file}-wal`;
  const size = existsSync(wal) ? statSync(wal).size : 'none';
  hash.update(`layout ${existsSync(file)} wal ${size}\n`);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Columns of a table without those that name a process: it has ended, and its successors differ by nothing else. */
function columnsOf(db: Db, table: string, holders: readonly string[]): string {
  const names = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
  return names
    .filter((name) => !holders.includes(`${table}.${name}`))
    .map(quoted)
    .join(', ');
}

function addTables(hash: Hash, db: Db, holders: readonly string[]): void {
  const tables = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all() as { name: string; sql: string | null }[];
  for (const { name, sql } of tables) {
    hash.update(`table ${name} ${sql}\n`);
    const rows = db.prepare(`SELECT ${columnsOf(db, name, holders)} FROM ${quoted(name)}`).raw();
    for (const row of rows.iterate()) hash.update(`${JSON.stringify(row)}\n`);
  }
}

function addStore(hash: Hash, file: string, holders: readonly string[]): void {
  addLayout(hash, file);
  if (!existsSync(file)) return;
  let db: Db;
  try {
    db = openReadOnly(file);
  } catch {
    hash.update(readFileSync(file));
    return;
  }
  try {
    addTables(hash, db, holders);
  } finally {
    db.close();
  }
}

/**
 * Digest of everything that a later process could find: every row of every table, the schema, the layout of the
 * files. A process has no other memory, so two directories with one digest have one future.
 */
export function stateId(stores: readonly StoreSpec[], dir: string): string {
  const hash = createHash('sha256');
  for (const { id, file, holders = [] } of stores) {
    hash.update(`store ${id}\n`);
    addStore(hash, join(dir, file), holders);
  }
  return hash.digest('hex');
}
