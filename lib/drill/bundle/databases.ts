import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { copyRaw } from '../../evidence/files.ts';
import { rawDir } from '../engine.ts';

/**
 * A sound, self-contained copy of one database, by `VACUUM INTO`, made from a copy of its raw files: opening the
 * originals for writing would take their `-wal` away (DESIGN.md, "Evidence").
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
