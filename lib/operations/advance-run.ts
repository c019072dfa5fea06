import { DrillError } from '../core/errors.ts';
import { performStep, type StepOutcome } from './perform-step.ts';

export interface AdvanceRun {
  run: string;
  /** The step that the caller expects to run: `RunView.nextSeq` as it saw it. */
  seq: number;
}

/**
 * Runs the next step of a run's scenario. A double click, a repeated POST or a stale page gets the recorded result
 * and starts nothing (DESIGN.md, "A run survives the dashboard").
 *
 * @throws DrillError as `performStep`; `stale` where the scenario has no further step
 */
export async function advanceRun({ run, seq }: AdvanceRun): Promise<StepOutcome> {
  return performStep(run, seq, ({ next, scenario }) => {
    if (next) return { spec: next, departs: false };
    throw new DrillError(
      'stale',
      scenario
        ? 'This run has had its last step.'
        : 'In free play a step has to be named; there is no next one.',
    );
  });
}
