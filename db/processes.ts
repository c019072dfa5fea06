/** Statements on the table `processes`. */
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

export interface ProcessRow {
  pid: number;
  start_time: string;
  pgid: number;
}

export function insertProcess(db: Db, run: string, seq: number, process: ProcessRow): void {
  statement(
    db,
    'INSERT INTO processes (run, seq, pid, start_time, pgid) VALUES (@run, @seq, @pid, @start_time, @pgid)',
  ).run({ run, seq, ...process });
}

/** Executors recorded for a run, or for one step of it. */
export function processesOf(db: Db, run: string, seq?: number): ProcessRow[] {
  return statement(
    db,
    'SELECT pid, start_time, pgid FROM processes WHERE run = @run AND (@seq IS NULL OR seq = @seq) ORDER BY seq, pid',
  ).all({ run, seq: seq ?? null }) as ProcessRow[];
}
