import { canonicalJson } from '../core/canonical.ts';
import { DrillError } from '../core/errors.ts';
import { issueWords, plainIssues } from '../drill/issue-words.ts';
import type { StepSpec } from '../drill/model.ts';
import { MAX_LABEL, MAX_STEPS, scenarioSchema } from '../drill/schema.ts';
import { performStep, type StepOutcome } from './perform-step.ts';

export interface AddStep {
  run: string;
  /** The step that the caller expects this to be: `RunView.nextSeq`. */
  seq: number;
  /** As a step of a scenario file; without a label it is named after what it does. */
  step: Omit<StepSpec, 'label' | 'expect' | 'predict'> & { label?: string };
}

const stepSchema = scenarioSchema.shape.steps.element;

function parse(step: unknown, label: string): StepSpec {
  const result = stepSchema.safeParse({ label, ...(step as object) }, { error: issueWords });
  if (result.success) return result.data as StepSpec;
  const [issue] = plainIssues(result.error.issues);
  const where = issue?.path.join('.');
  throw new DrillError(
    'usage',
    `This step cannot be asked for: ${where ? `${where}: ` : 'it '}${issue?.message}.`,
  );
}

/** @throws DrillError `refused` where a run would get more steps than a scenario has */
export function requireRoom(steps: number, more: number): void {
  if (steps + more <= MAX_STEPS) return;
  throw new DrillError(
    'refused',
    `A run has ${MAX_STEPS} steps at most, so that it can be kept and handed over. Start a new run, or branch from an earlier step.`,
  );
}

/** A name that no step of the run has: `run`, `run-2`. Room is left for the number. */
function freeLabel(step: AddStep['step'], taken: readonly string[]): string {
  const verb = step.command ?? step.damage ?? (step.release ? `release-${step.release}` : 'step');
  const usable = /^[a-z0-9][a-z0-9-]*$/.test(verb) && verb !== 'end';
  const base = usable ? verb.slice(0, MAX_LABEL - String(MAX_STEPS).length - 1) : 'step';
  if (!taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

/**
 * Free play: runs any step of the run's lab now. A run of a scenario leaves it with that and is free play from then
 * on, judged by the lab's invariants alone.
 *
 * @throws DrillError `usage` or `malformed` for a step that cannot be asked for, `refused` where the run has as many
 *   as it can have; else as `performStep`
 */
export async function addStep({ run, seq, step }: AddStep): Promise<StepOutcome> {
  if (typeof step !== 'object' || step === null) throw new DrillError('usage', 'A step is an object.');
  return performStep(run, seq, {
    choose({ records, scenario }) {
      requireRoom(records.length, 1);
      const label = freeLabel(
        step,
        records.map((record) => record.label),
      );
      return { spec: parse(step, label), departs: scenario !== null };
    },
    isSame: (spec) => canonicalJson(parse(step, spec.label)) === canonicalJson(spec),
  });
}
