import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DrillError } from '#lib/core/errors.ts';
import { commit, type Db } from '#lib/sqlite/open.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/**
 * Reads numbered migrations, `NNNN-name.sql`, in order.
 *
 * @throws DrillError `defect` where a number is missing or there twice
 */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name))
    .sort();
  return names.map((file, index) => {
    const version = Number(file.slice(0, 4));
    if (version !== index + 1)
      throw new DrillError('defect', `Migration ${index + 1} is missing or there twice.`);
    return { version, name: file.slice(5, -4), sql: readFileSync(join(folder, file), 'utf8') };
  });
}

/** The schema version that a database is at; 0 before the first migration. */
export function schemaVersion(db: Db): number {
  const table = db
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'")
    .get();
  if (!table) return 0;
  const row = db.prepare('SELECT max(version) AS version FROM schema_version').get() as {
    version: number | null;
  };
  return row.version ?? 0;
}

/**
 * Brings a database to the newest schema. Each migration and the row that says it ran are one commit: a process
 * that dies inside one leaves neither. Two processes that migrate at once are put in line by the write lock.
 *
 * @throws DrillError `refused` where newer code or 0.1.0 wrote the database: it is left as it is
 */
export function migrate(db: Db, migrations: readonly Migration[]): void {
  if (schemaVersion(db) > 0 && db.pragma('application_id', { simple: true }) === 0) {
    throw new DrillError(
      'refused',
      'Version 0.1.0 wrote this data directory, and this version does not read runs of 0.1.0; set DRILL_DATA_DIR to another directory, or move this one away.',
    );
  }
  const newest = migrations.at(-1)?.version ?? 0;
  const found = schemaVersion(db);
  if (found > newest) {
    throw new DrillError(
      'refused',
      `The data directory was written by a newer version of this program (schema ${found}; this one knows ${newest}). Update the program, or set DRILL_DATA_DIR to another directory.`,
    );
  }
  for (const migration of migrations) {
    if (migration.version <= found) continue;
    commit(db, 'dashboard', 'migration', { before: 'before-migration-commit' }, () => {
      // Another process may have been first while this one waited for the lock.
      if (schemaVersion(db) >= migration.version) return;
      db.exec(
        'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT',
      );
      db.exec(migration.sql);
      db.prepare('INSERT INTO schema_version (version, name) VALUES (?, ?)').run(
        migration.version,
        migration.name,
      );
    });
  }
}

/** The schema as one text, to be compared with the committed `schema.sql`. */
export function dumpSchema(db: Db): string {
  const rows = db
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'table' DESC, tbl_name, type, name",
    )
    .all() as { sql: string }[];
  return `${rows.map((row) => `${row.sql};`).join('\n\n')}\n`;
}
