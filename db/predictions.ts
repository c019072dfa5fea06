/** Statements on the table `predictions`. */
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

export interface PredictionRow {
  run: string;
  seq: number;
  /** JSON; null where the question was skipped. */
  value: string | null;
}

/** Locks an answer: the first one stays. Answers whether this call wrote it. */
export function insertPrediction(db: Db, prediction: PredictionRow): boolean {
  const done = statement(
    db,
    'INSERT INTO predictions (run, seq, value) VALUES (@run, @seq, @value) ON CONFLICT DO NOTHING',
  ).run(prediction);
  return done.changes === 1;
}

export function predictionsOf(db: Db, run: string): PredictionRow[] {
  return statement(db, 'SELECT * FROM predictions WHERE run = ? ORDER BY seq').all(run) as PredictionRow[];
}
