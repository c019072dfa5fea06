/** Statements on the table `runs` and its totals. */
import type { Verdict } from '#lib/drill/reasons.ts';
import type { Decision, Effect } from '#lib/evidence/model.ts';
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

export interface RunRecord {
  id: string;
  lab: string;
  scenario: string | null;
  definition: string | null;
  title: string;
  without: string;
  faithful: 0 | 1;
  departed: 0 | 1;
  created_at: string;
  origin_run: string | null;
  origin_label: string | null;
  steps_done: number;
  steps_total: number | null;
  finished: 0 | 1;
  verdict: Verdict;
  /** `Judgement`, as JSON. */
  judgement: string;
  effect: Effect | null;
  decision: Decision | null;
  disk_bytes: number;
  holding: string;
  lost: 0 | 1;
  deleting: 0 | 1;
}

/** What is known of a run when it begins. */
export type NewRun = Pick<
  RunRecord,
  | 'id'
  | 'lab'
  | 'scenario'
  | 'definition'
  | 'title'
  | 'without'
  | 'faithful'
  | 'created_at'
  | 'origin_run'
  | 'origin_label'
  | 'steps_total'
  | 'judgement'
>;

export function insertRun(db: Db, run: NewRun): void {
  statement(
    db,
    `INSERT INTO runs (id, lab, scenario, definition, title, without, faithful, created_at, origin_run, origin_label, steps_total, judgement)
     VALUES (@id, @lab, @scenario, @definition, @title, @without, @faithful, @created_at, @origin_run, @origin_label, @steps_total, @judgement)`,
  ).run(run);
}

export function findRun(db: Db, id: string): RunRecord | undefined {
  return statement(db, 'SELECT * FROM runs WHERE id = ? AND deleting = 0').get(id) as RunRecord | undefined;
}

/** What a run's row says of its steps; written in the commit that records the step. */
export type RunSummary = Pick<
  RunRecord,
  | 'id'
  | 'steps_done'
  | 'finished'
  | 'verdict'
  | 'judgement'
  | 'effect'
  | 'decision'
  | 'disk_bytes'
  | 'holding'
>;

export function updateSummary(db: Db, summary: RunSummary): void {
  statement(
    db,
    `UPDATE runs SET steps_done = @steps_done, finished = @finished, verdict = @verdict, judgement = @judgement, effect = @effect,
       decision = @decision, disk_bytes = @disk_bytes, holding = @holding WHERE id = @id`,
  ).run(summary);
}

/** From here on the run is free play: its scenario neither leads nor judges it. */
export function markDeparted(db: Db, id: string): void {
  statement(
    db,
    `UPDATE runs SET departed = 1, steps_total = NULL, finished = 0 WHERE id = ? AND departed = 0`,
  ).run(id);
}

/** Held executors of these runs are gone; see `runsHolding`. */
export function markLost(db: Db, id: string): void {
  statement(db, `UPDATE runs SET lost = 1, holding = '[]' WHERE id = ?`).run(id);
}

export function markDeleting(db: Db, id: string): void {
  statement(db, 'UPDATE runs SET deleting = 1 WHERE id = ?').run(id);
}

export function removeRun(db: Db, id: string): void {
  statement(db, 'DELETE FROM runs WHERE id = ?').run(id);
}

export function runsDeleting(db: Db): string[] {
  const rows = statement(db, 'SELECT id FROM runs WHERE deleting = 1').all() as { id: string }[];
  return rows.map((row) => row.id);
}

export function runsHolding(db: Db): string[] {
  const rows = statement(db, `SELECT id FROM runs WHERE holding <> '[]'`).all() as { id: string }[];
  return rows.map((row) => row.id);
}

export interface RunFilter {
  lab?: string;
  scenario?: string;
  verdict?: Verdict;
  finished?: boolean;
}

function conditions(filter: RunFilter): { where: string; values: Record<string, string | number> } {
  const parts = ['deleting = 0'];
  const values: Record<string, string | number> = {};
  for (const key of ['lab', 'scenario', 'verdict'] as const) {
    if (filter[key] === undefined) continue;
    parts.push(`${key} = @${key}`);
    values[key] = filter[key];
  }
  if (filter.finished !== undefined) {
    parts.push('finished = @finished');
    values.finished = filter.finished ? 1 : 0;
  }
  return { where: parts.join(' AND '), values };
}

/** One page of runs, newest first. The definition is left out: a list does not need it. */
export function pageOfRuns(db: Db, filter: RunFilter, limit: number, offset: number): RunRecord[] {
  const { where, values } = conditions(filter);
  return statement(
    db,
    `SELECT id, lab, scenario, NULL AS definition, title, without, faithful, departed, created_at, origin_run, origin_label,
       steps_done, steps_total, finished, verdict, '' AS judgement, effect, decision, disk_bytes, holding, lost, deleting
     FROM runs WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT @limit OFFSET @offset`,
  ).all({ ...values, limit, offset }) as RunRecord[];
}

/** Titles and times of runs that others branch from, by id; a deleted one is not among them. */
export function originsOf(db: Db, ids: readonly string[]): Map<string, { title: string; createdAt: string }> {
  const find = statement(db, 'SELECT title, created_at AS createdAt FROM runs WHERE id = ? AND deleting = 0');
  const found = [...new Set(ids)].flatMap((id) => {
    const row = find.get(id) as { title: string; createdAt: string } | undefined;
    return row ? [[id, row] as const] : [];
  });
  return new Map(found);
}

export interface Totals {
  runs: number;
  diskBytes: number;
}

/** How many runs a filter finds, and their size on disk. Without a scenario it comes from the kept totals. */
export function totalsOfRuns(db: Db, filter: RunFilter): Totals {
  if (filter.scenario !== undefined) {
    const { where, values } = conditions(filter);
    return statement(
      db,
      `SELECT count(*) AS runs, coalesce(sum(disk_bytes), 0) AS diskBytes FROM runs WHERE ${where}`,
    ).get(values) as Totals;
  }
  const { where, values } = conditions(filter);
  const kept = where.replace('deleting = 0', '1 = 1');
  return statement(
    db,
    `SELECT coalesce(sum(runs), 0) AS runs, coalesce(sum(disk_bytes), 0) AS diskBytes FROM run_totals WHERE ${kept}`,
  ).get(values) as Totals;
}

/** The newest run of a scenario that went to its end with its own safeguards, or the newest run at all. */
export function latestOfScenario(
  db: Db,
  scenario: string,
): { tried: boolean; decision: Decision | null; verdict: Verdict | null; finished: boolean } {
  const finished = statement(
    db,
    `SELECT decision, verdict FROM runs WHERE scenario = ? AND finished = 1 AND faithful = 1 AND deleting = 0
     ORDER BY created_at DESC LIMIT 1`,
  ).get(scenario) as Pick<RunRecord, 'decision' | 'verdict'> | undefined;
  if (finished) return { tried: true, finished: true, ...finished };
  const any = statement(db, 'SELECT 1 FROM runs WHERE scenario = ? AND deleting = 0 LIMIT 1').get(scenario);
  return { tried: any !== undefined, finished: false, decision: null, verdict: null };
}
