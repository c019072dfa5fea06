/** Statements on the tables `sweeps`, `sweep_layers` and `sweep_cells`. */
import type { CheckResult } from '#lib/evidence/model.ts';
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

export type SweepKind = 'matrix' | 'safeguards';
export type SweepState = 'running' | 'done' | 'cancelled' | 'failed';

export interface SweepRow {
  id: string;
  kind: SweepKind;
  lab: string;
  depth: number;
  without: string;
  state: SweepState;
  created_at: string;
  owner_pid: number;
  owner_start: string;
  boot: string;
  verdict: CheckResult | null;
  report: string | null;
  error: string | null;
}

export type NewSweep = Omit<SweepRow, 'state' | 'verdict' | 'report' | 'error'>;

export function insertSweep(db: Db, sweep: NewSweep): void {
  statement(
    db,
    `INSERT INTO sweeps (id, kind, lab, depth, without, state, created_at, owner_pid, owner_start, boot)
     VALUES (@id, @kind, @lab, @depth, @without, 'running', @created_at, @owner_pid, @owner_start, @boot)`,
  ).run(sweep);
}

export function findSweep(db: Db, id: string): SweepRow | undefined {
  return statement(db, 'SELECT * FROM sweeps WHERE id = ?').get(id) as SweepRow | undefined;
}

export function sweepsRunning(db: Db): SweepRow[] {
  return statement(
    db,
    `SELECT * FROM sweeps WHERE state = 'running' ORDER BY created_at, id`,
  ).all() as SweepRow[];
}

export type SweepHead = Pick<
  SweepRow,
  'id' | 'kind' | 'depth' | 'without' | 'state' | 'verdict' | 'created_at'
>;

/** Sweeps of a lab without their reports, newest first; all of them unless a limit is given. */
export function sweepsOf(db: Db, kind: SweepKind, lab: string, limit = -1): SweepHead[] {
  return statement(
    db,
    `SELECT id, kind, depth, without, state, verdict, created_at FROM sweeps
     WHERE kind = ? AND lab = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
  ).all(kind, lab, limit) as SweepHead[];
}

/** Removes a sweep with its layers and cells, unless it is running. Answers whether this call did. */
export function removeSweep(db: Db, id: string): boolean {
  return statement(db, "DELETE FROM sweeps WHERE id = ? AND state <> 'running'").run(id).changes === 1;
}

/** Takes a sweep over from an owner that is dead. Answers whether this call did. */
export function adoptSweep(
  db: Db,
  sweep: Pick<SweepRow, 'id' | 'owner_pid' | 'owner_start' | 'boot'>,
  from: Pick<SweepRow, 'owner_pid' | 'owner_start' | 'boot'>,
): boolean {
  const done = statement(
    db,
    `UPDATE sweeps SET owner_pid = @owner_pid, owner_start = @owner_start, boot = @boot WHERE id = @id
       AND state = 'running' AND owner_pid = @from_pid AND owner_start = @from_start AND boot = @from_boot`,
  ).run({ ...sweep, from_pid: from.owner_pid, from_start: from.owner_start, from_boot: from.boot });
  return done.changes === 1;
}

/** Ends a sweep that is running. Answers whether this call did. */
export function finishSweep(
  db: Db,
  sweep: Pick<SweepRow, 'id' | 'state' | 'verdict' | 'report' | 'error'>,
): boolean {
  const done = statement(
    db,
    `UPDATE sweeps SET state = @state, verdict = @verdict, report = @report, error = @error
     WHERE id = @id AND state = 'running'`,
  ).run(sweep);
  return done.changes === 1;
}

export interface LayerRow {
  depth: number;
  size: number;
}

export function recordLayer(db: Db, sweep: string, layer: LayerRow): void {
  statement(
    db,
    `INSERT INTO sweep_layers (sweep, depth, size) VALUES (@sweep, @depth, @size)
     ON CONFLICT (sweep, depth) DO UPDATE SET size = excluded.size`,
  ).run({ sweep, ...layer });
}

export function layersOf(db: Db, sweep: string): LayerRow[] {
  return statement(db, 'SELECT depth, size FROM sweep_layers WHERE sweep = ? ORDER BY depth').all(
    sweep,
  ) as LayerRow[];
}

export interface CellRow {
  sweep: string;
  key: string;
  depth: number;
  verdict: CheckResult;
  summary: string;
  result: string;
}

/** Records a cell once: the first result stays. */
export function insertCell(db: Db, cell: CellRow): void {
  statement(
    db,
    `INSERT INTO sweep_cells (sweep, key, depth, verdict, summary, result)
     VALUES (@sweep, @key, @depth, @verdict, @summary, @result) ON CONFLICT DO NOTHING`,
  ).run(cell);
}

export function findCell(db: Db, sweep: string, key: string): CellRow | undefined {
  return statement(db, 'SELECT * FROM sweep_cells WHERE sweep = ? AND key = ?').get(sweep, key) as
    | CellRow
    | undefined;
}

/** A layer's cells as JSON: with everything, or what a table shows of them. */
export function layerTexts(db: Db, sweep: string, depth: number, what: 'result' | 'summary'): string[] {
  const rows = statement(
    db,
    `SELECT ${what} AS text FROM sweep_cells WHERE sweep = ? AND depth = ? ORDER BY rowid`,
  ).all(sweep, depth) as { text: string }[];
  return rows.map(({ text }) => text);
}

/** Every recorded cell with its full result: what a continued sweep starts from. */
export function cellsOf(db: Db, sweep: string): CellRow[] {
  return statement(db, 'SELECT * FROM sweep_cells WHERE sweep = ?').all(sweep) as CellRow[];
}

export interface CellCount {
  depth: number;
  verdict: CheckResult;
  cells: number;
}

export function countCells(db: Db, sweep: string): CellCount[] {
  return statement(
    db,
    'SELECT depth, verdict, count(*) AS cells FROM sweep_cells WHERE sweep = ? GROUP BY depth, verdict',
  ).all(sweep) as CellCount[];
}
