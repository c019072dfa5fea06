import { store } from '#db/open.ts';
import { insertPrediction, predictionsOf } from '#db/predictions.ts';
import { canonicalJson } from '../core/canonical.ts';
import { DrillError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Predict as Question } from '../drill/model.ts';
import { loadRun } from './load-run.ts';

export interface Predict {
  run: string;
  /** The step that the question stands before: `RunView.nextSeq`. */
  seq: number;
  /** The answer; null to skip the question. */
  value: Json;
}

function checkAnswer(question: Question, value: Json): void {
  if (value === null) return;
  if (question.kind === 'number') {
    if (typeof value === 'number' && Number.isFinite(value)) return;
    throw new DrillError('malformed', 'The answer to this question is a number.');
  }
  const options = question.options ?? [];
  if (options.some((option) => canonicalJson(option.value) === canonicalJson(value))) return;
  throw new DrillError('malformed', 'The answer is none of the options of this question.');
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
  checkAnswer(question, value);
  if (!insertPrediction(db, { run: id, seq, value: text })) {
    throw new DrillError('refused', 'This question was answered already; the first answer stays.');
  }
}
