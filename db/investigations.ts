/** Statements on the table `investigations`. */
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

/** Runs that may hold an operation that nobody could decide, newest first. */
export function runsInDoubt(db: Db, limit: number): string[] {
  const rows = statement(
    db,
    `SELECT id FROM runs WHERE deleting = 0 AND (effect = 'unknown' OR decision = 'investigate')
     AND id NOT IN (SELECT run FROM bundles) ORDER BY created_at DESC, id DESC LIMIT ?`,
  ).all(limit) as { id: string }[];
  return rows.map(({ id }) => id);
}

/** Owners of a run's investigations, by operation. */
export function ownersOf(db: Db, run: string): Map<string, string> {
  const rows = statement(db, 'SELECT operation, owner FROM investigations WHERE run = ?').all(run) as {
    operation: string;
    owner: string;
  }[];
  return new Map(rows.map(({ operation, owner }) => [operation, owner]));
}

export function setOwner(db: Db, row: { run: string; operation: string; owner: string }): void {
  statement(
    db,
    `INSERT INTO investigations (run, operation, owner) VALUES (@run, @operation, @owner)
     ON CONFLICT DO UPDATE SET owner = excluded.owner`,
  ).run(row);
}
