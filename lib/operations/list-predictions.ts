import { store } from '#db/open.ts';
import { predictionsOf } from '#db/predictions.ts';
import { findRun } from '#db/runs.ts';
import { findStep, type StepRow } from '#db/steps.ts';
import type { Json } from '../core/json.ts';
import type { Predict, Scenario, StepRecord, StepSpec } from '../drill/model.ts';
import { select } from '../drill/select.ts';

/** One prediction of a listed run, beside what happened. */
export interface ListedPrediction {
  label: string;
  /** null where the run no longer has it. */
  question: Predict | null;
  /** null where the question was skipped. */
  said: Json;
  /** null while the step has not run, or where it had no such figure. */
  was: Json;
}

/** What a step asks: as it was begun, else as the run's scenario has it. */
function specOf(run: string, seq: number): { row: StepRow | undefined; spec: StepSpec | undefined } {
  const row = findStep(store(), run, seq);
  if (row) return { row, spec: JSON.parse(row.spec) as StepSpec };
  const definition = findRun(store(), run)?.definition;
  return { row, spec: definition ? (JSON.parse(definition) as Scenario).steps[seq - 1] : undefined };
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
      const { row, spec } = specOf(run, seq);
      const record = row?.record ? (JSON.parse(row.record) as StepRecord) : null;
      const question = spec?.predict ?? null;
      return {
        label: spec?.label ?? String(seq),
        question,
        said: value === null ? null : (JSON.parse(value) as Json),
        was: record && question ? (select(question.answer, record) ?? null) : null,
      };
    });
    if (predictions.length > 0) found.set(run, predictions);
  }
  return found;
}
