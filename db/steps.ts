/** Statements on the table `steps`. */
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

export interface StepRow {
  run: string;
  seq: number;
  label: string;
  state: 'begun' | 'done' | 'failed' | 'interrupted';
  spec: string;
  owner_pid: number;
  owner_start: string;
  boot: string;
  record: string | null;
}

/** The intent. Unique by (run, seq): of two programs that begin the same step one gets SQLITE_CONSTRAINT. */
export function insertStep(db: Db, step: Omit<StepRow, 'state' | 'record'>): void {
  statement(
    db,
    `INSERT INTO steps (run, seq, label, state, spec, owner_pid, owner_start, boot)
     VALUES (@run, @seq, @label, 'begun', @spec, @owner_pid, @owner_start, @boot)`,
  ).run(step);
}

/** Records how a step came out, once: a step that has a record keeps it. Answers whether this call wrote it. */
export function finishStep(db: Db, step: Pick<StepRow, 'run' | 'seq' | 'state' | 'record'>): boolean {
  const done = statement(
    db,
    `UPDATE steps SET state = @state, record = @record WHERE run = @run AND seq = @seq AND state = 'begun'`,
  ).run(step);
  return done.changes === 1;
}

export function stepsOf(db: Db, run: string): StepRow[] {
  return statement(db, 'SELECT * FROM steps WHERE run = ? ORDER BY seq').all(run) as StepRow[];
}

export function findStep(db: Db, run: string, seq: number): StepRow | undefined {
  return statement(db, 'SELECT * FROM steps WHERE run = ? AND seq = ?').get(run, seq) as StepRow | undefined;
}

export function lastStep(db: Db, run: string): StepRow | undefined {
  return statement(db, 'SELECT * FROM steps WHERE run = ? ORDER BY seq DESC LIMIT 1').get(run) as
    | StepRow
    | undefined;
}

/** Steps without a record, of whatever owner. */
export function stepsBegun(db: Db): StepRow[] {
  return statement(db, `SELECT * FROM steps WHERE state = 'begun' ORDER BY run, seq`).all() as StepRow[];
}
