import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { copyRaw } from '../../evidence/files.ts';
import type { Lab } from '../../labs/contract.ts';
import { rawDir } from '../engine.ts';
import type { Journal } from './model.ts';

/**
 * A sound, self-contained copy of one database, by `VACUUM INTO`, made from a copy of its raw files: opening the
 * originals for writing would take their `-wal` away (docs/design.md, "Evidence").
 *
 * @returns the file's bytes; null where the database is missing or cannot be read
 */
function vacuumed(file: string, from: string, scratch: string): Buffer | null {
  if (!existsSync(join(from, file))) return null;
  const [source, target] = [join(scratch, file), join(scratch, `vacuumed-${file}`)];
  copyRaw([file], from, scratch);
  let db: Database.Database | undefined;
  try {
    db = new Database(source, { fileMustExist: true });
    db.prepare('VACUUM INTO ?').run(target);
    return readFileSync(target);
  } catch {
    return null;
  } finally {
    db?.close();
  }
}

/**
 * The databases of a run for its bundle: `databases/<file>` as they stand at the end, and
 * `databases/raw/<seq>-<label>/` as they lay after each step, `-wal` and `-shm` included.
 *
 * @param files the lab's database files
 * @param labels of the steps, in order
 */
export function databaseFiles(
  runDir: string,
  files: readonly string[],
  labels: readonly string[],
): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const scratch = mkdtempSync(join(tmpdir(), 'drill-vacuum-'));
  try {
    for (const file of files) {
      const copy = vacuumed(file, rawDir(runDir, labels.length), scratch);
      if (copy) found.set(`databases/${file}`, copy);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  labels.forEach((label, index) => {
    const dir = rawDir(runDir, index + 1);
    if (!existsSync(dir)) return;
    for (const name of readdirSync(dir).sort()) {
      if (!files.some((file) => name.startsWith(file))) continue;
      found.set(`databases/raw/${index + 1}-${label}/${name}`, readFileSync(join(dir, name)));
    }
  });
  return found;
}

const HEADER = Buffer.from('SQLite format 3\0');

/** An empty file is an empty database, and a log may hold all of it still. */
const isDatabase = (content: Buffer): boolean =>
  content.length === 0 || content.subarray(0, HEADER.length).equals(HEADER);

/** Stores whose file a step left unreadable, as its evidence says: the damages leave such files. */
function unreadable({ steps }: Journal, index: number): string[] {
  const integrity = steps[index]?.record.evidence?.integrity;
  // Without evidence nobody has looked.
  if (!integrity) return steps[index] ? ['*'] : [];
  return integrity.filter(({ quickCheck }) => quickCheck !== 'ok').map(({ store }) => store);
}

/** What is wrong with one file of `databases/`, or null. */
function fileFault(lab: Lab, journal: Journal, path: string, content: Buffer): string | null {
  const [first = '', place = '', name = first] = path.split('/').slice(1);
  const raw = first === 'raw';
  const index = raw ? journal.steps.findIndex(({ record }, at) => `${at + 1}-${record.label}` === place) : -1;
  const store = lab.stores.find(({ file }) => (raw ? name.startsWith(file) : first === file));
  if (!store || (raw && index === -1)) return `${path} is no database of this case`;
  if (isDatabase(content) || (raw && name !== store.file)) return null;
  const left = raw ? unreadable(journal, index) : [];
  return left.includes('*') || left.includes(store.id) ? null : `${path} is no SQLite database`;
}

/**
 * The databases of a bundle against its lab and its steps.
 *
 * @returns what is wrong with the first that is none, as a part of a sentence; null where all are
 */
export function databaseFault(lab: Lab, journal: Journal, files: ReadonlyMap<string, Buffer>): string | null {
  for (const [path, content] of files) {
    if (!path.startsWith('databases/')) continue;
    const fault = fileFault(lab, journal, path, content);
    if (fault) return fault;
  }
  return null;
}
