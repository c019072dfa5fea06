import type { Predict } from '#lib/drill/model.ts';
import type { RunView } from '#lib/operations/model.ts';

/** The question that stands before the next step and has been neither answered nor skipped. */
export function openQuestion(run: RunView): Predict | null {
  const { next, running, lost, nextSeq, predictions } = run;
  if (!next?.predict || running || lost) return null;
  return predictions.some((prediction) => prediction.seq === nextSeq) ? null : next.predict;
}
