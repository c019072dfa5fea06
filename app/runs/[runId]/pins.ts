/** Which two steps stand as Before and After. */
import type { StepRecord } from '#lib/drill/model.ts';
import type { CommandSpec } from '#lib/labs/contract.ts';
import { crashed } from '../../_ui/step-facts.ts';

export interface Pins {
  /** Positions in the run's steps; null where there is no such step. */
  before: number | null;
  after: number | null;
}

export interface Preset {
  id: 'crash-recovery' | 'recovery-resubmission' | 'first-last';
  before: string;
  after: string;
}

type Labelled = Pick<StepRecord, 'label'>;

function position(steps: readonly Labelled[], label: string | null): number | null {
  const found = label === null ? -1 : steps.findIndex((step) => step.label === label);
  return found === -1 ? null : found;
}

/** After is the last step unless the URL pins one; Before the step ahead of it. */
export function choosePins(
  steps: readonly Labelled[],
  wanted: { before: string | null; after: string | null },
): Pins {
  if (steps.length === 0) return { before: null, after: null };
  const after = position(steps, wanted.after) ?? steps.length - 1;
  const before = position(steps, wanted.before) ?? (after > 0 ? after - 1 : null);
  return { before, after };
}

/** The pairs worth a click of their own, as far as the run has come. */
export function presets(steps: readonly StepRecord[], commands: readonly CommandSpec[]): Preset[] {
  const found: Preset[] = [];
  const add = (id: Preset['id'], before: StepRecord | undefined, after: StepRecord | undefined) => {
    if (before && after && before !== after) found.push({ id, before: before.label, after: after.label });
  };
  const crashAt = steps.findIndex(crashed);
  const crash = steps[crashAt];
  if (crash) {
    const recovers = (step: StepRecord) =>
      commands.some((command) => command.name === step.command && command.kind === 'recover');
    const later = steps.slice(crashAt + 1);
    const recovery = later.find((step) => recovers(step) && !crashed(step)) ?? later[0];
    add('crash-recovery', crash, recovery);
    const after = recovery ? later.slice(later.indexOf(recovery) + 1) : [];
    add(
      'recovery-resubmission',
      recovery,
      after.findLast((step) => step.command === crash.command),
    );
  }
  add('first-last', steps[0], steps.at(-1));
  return found;
}
