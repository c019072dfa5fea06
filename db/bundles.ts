/** Statements on the tables `bundles` and `replays`, and on runs that are not yet to be seen. */
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

export interface BundleRow {
  run: string;
  sha256: string;
  code_version: string;
  code_digest: string;
  node: string;
  sqlite: string;
  scenario: string;
}

export function insertBundle(db: Db, bundle: BundleRow): void {
  statement(
    db,
    `INSERT INTO bundles (run, sha256, code_version, code_digest, node, sqlite, scenario)
     VALUES (@run, @sha256, @code_version, @code_digest, @node, @sqlite, @scenario)`,
  ).run(bundle);
}

export function bundleOf(db: Db, run: string): BundleRow | undefined {
  return statement(db, 'SELECT * FROM bundles WHERE run = ?').get(run) as BundleRow | undefined;
}

/** The run that a file was imported as, where it is still there. */
export function runOfBundle(db: Db, sha256: string): string | undefined {
  const row = statement(
    db,
    'SELECT bundles.run FROM bundles JOIN runs ON runs.id = bundles.run WHERE sha256 = ? AND deleting = 0',
  ).get(sha256) as { run: string } | undefined;
  return row?.run;
}

export function insertReplay(db: Db, run: string, bundle: string): void {
  statement(db, 'INSERT INTO replays (run, bundle) VALUES (?, ?)').run(run, bundle);
}

/** The bundle that a run replays. */
export function bundleReplayedBy(db: Db, run: string): string | undefined {
  const row = statement(db, 'SELECT bundle FROM replays WHERE run = ?').get(run) as
    | { bundle: string }
    | undefined;
  return row?.bundle;
}

/** The newest replay of a bundle that has not been deleted. */
export function latestReplay(db: Db, bundle: string): string | undefined {
  const row = statement(
    db,
    `SELECT replays.run FROM replays JOIN runs ON runs.id = replays.run
     WHERE bundle = ? AND deleting = 0 ORDER BY replays.run DESC LIMIT 1`,
  ).get(bundle) as { run: string } | undefined;
  return row?.run;
}

/** Branches of a run, oldest first. */
export function branchesOf(db: Db, run: string): { id: string; label: string; title: string }[] {
  return statement(
    db,
    `SELECT id, origin_label AS label, title FROM runs WHERE origin_run = ? AND deleting = 0 ORDER BY created_at, id`,
  ).all(run) as { id: string; label: string; title: string }[];
}

/** Shows a run that was marked as deleting while its directory was made: what dies before this is swept away. */
export function reveal(db: Db, run: string): void {
  statement(db, 'UPDATE runs SET deleting = 0 WHERE id = ?').run(run);
}

/** Runs of a scenario that went to their end with its own safeguards, newest first. */
export function latestFaithful(db: Db, scenario: string, limit: number): string[] {
  const rows = statement(
    db,
    `SELECT id FROM runs WHERE scenario = ? AND finished = 1 AND faithful = 1 AND deleting = 0
     ORDER BY created_at DESC LIMIT ?`,
  ).all(scenario, limit) as { id: string }[];
  return rows.map((row) => row.id);
}
