import { DrillError } from '../core/errors.ts';
import { performStep, type StepOutcome } from './perform-step.ts';

export interface AdvanceRun {
  run: string;
  /** The step that the caller expects to run: `RunView.nextSeq` as it saw it. */
  seq: number;
}

/**
 * Runs the next step of a run's scenario. A double click, a repeated POST or a stale page gets the recorded result
 * and starts nothing.
 *
 * @throws DrillError as `performStep`; `stale` where the scenario has no further step
 */
export async function advanceRun({ run, seq }: AdvanceRun): Promise<StepOutcome> {
  return performStep(run, seq, {
    choose({ next, scenario }) {
      if (next) return { spec: next, departs: false };
      throw new DrillError(
        'stale',
        scenario ? 'This run has had its last step.' : 'Free play has no next step; name the step.',
      );
    },
    isSame: (spec, { began }) => spec.label === began?.steps[seq - 1]?.label,
  });
}
