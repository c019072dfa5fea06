import { store } from '#db/open.ts';
import { predictionsOf } from '#db/predictions.ts';
import { findStep } from '#db/steps.ts';
import type { Json } from '../core/json.ts';
import type { StepRecord } from '../drill/model.ts';
import { select } from '../drill/select.ts';

/** One prediction of a listed run, beside what happened. */
export interface ListedPrediction {
  label: string;
  /** null where the question was skipped. */
  said: Json;
  /** null while the step has not run, or where it had no such figure. */
  was: Json;
}

/**
 * Predictions of the runs of one page of the list. Reads the steps that a prediction was made for, and no other.
 *
 * @returns by id of the run; runs without any are left out
 */
export function listPredictions(runs: readonly string[]): Map<string, ListedPrediction[]> {
  const db = store();
  const found = new Map<string, ListedPrediction[]>();
  for (const run of runs) {
    const predictions = predictionsOf(db, run).map(({ seq, value }): ListedPrediction => {
      const row = findStep(db, run, seq);
      const record = row?.record ? (JSON.parse(row.record) as StepRecord) : null;
      const question = record?.spec.predict;
      return {
        label: row?.label ?? String(seq),
        said: value === null ? null : (JSON.parse(value) as Json),
        was: record && question ? (select(question.answer, record) ?? null) : null,
      };
    });
    if (predictions.length > 0) found.set(run, predictions);
  }
  return found;
}
