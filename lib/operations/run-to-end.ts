import { type AdvanceRun, advanceRun } from './advance-run.ts';
import type { RunView } from './model.ts';
import type { StepOutcome } from './perform-step.ts';

/** Whether the run has a next step that can be run now: none that another program runs, and no run that is stuck. */
export const goesOn = ({ next, running, stuck }: RunView): boolean =>
  next !== null && running === null && stuck === null;

/**
 * Runs the steps that are left, from the one that the caller expects. Each is a step of its own: a second call
 * beside this one repeats none, and the page shows them as they come.
 *
 * @param onStep called with the run after each step
 * @throws DrillError as `advanceRun`; the steps before stand
 */
export async function runToEnd(
  { run, seq }: AdvanceRun,
  onStep?: (outcome: StepOutcome) => void,
): Promise<StepOutcome> {
  let outcome = await advanceRun({ run, seq });
  let { started } = outcome;
  onStep?.(outcome);
  while (goesOn(outcome.view)) {
    outcome = await advanceRun({ run, seq: outcome.view.nextSeq });
    started ||= outcome.started;
    onStep?.(outcome);
  }
  return { view: outcome.view, started };
}
