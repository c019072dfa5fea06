import { store } from '#db/open.ts';
import { insertPrediction, predictionsOf } from '#db/predictions.ts';
import { canonicalJson } from '../core/canonical.ts';
import { DrillError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { answerFault } from '../drill/answer.ts';
import { loadRun } from './load-run.ts';

export interface Predict {
  run: string;
  /** The step that the question stands before: `RunView.nextSeq`. */
  seq: number;
  /** The answer; null to skip the question. */
  value: Json;
}

/**
 * Locks what a person says will happen at the next step. The first answer stays: giving the same again is no
 * error, another one is refused.
 *
 * @throws DrillError `stale` where the step has begun, `usage` where it asks nothing, `malformed` for an answer
 *   that the question does not take, `refused` where another answer was given already
 */
export async function predict({ run: id, seq, value }: Predict): Promise<void> {
  const run = loadRun(id);
  const db = store();
  const text = value === null ? null : canonicalJson(value);
  const given = predictionsOf(db, id).find((prediction) => prediction.seq === seq);
  if (given) {
    if (given.value === text) return;
    throw new DrillError('refused', 'This question was answered already; the first answer stays.');
  }
  if (run.begun || seq !== run.records.length + 1) {
    throw new DrillError('stale', 'A prediction comes before its step; this run is at another one.');
  }
  const question = run.next?.predict;
  if (!question) throw new DrillError('usage', `Step ${seq} of this run asks nothing.`);
  const fault = answerFault(question, value);
  if (fault) throw new DrillError('malformed', fault);
  if (!insertPrediction(db, { run: id, seq, value: text })) {
    throw new DrillError('refused', 'This question was answered already; the first answer stays.');
  }
}
