import { canonicalJson } from '../core/canonical.ts';
import { DrillError } from '../core/errors.ts';
import { alignSteps, differenceSentence, equalToTheByte } from '../drill/compare.ts';
import { costOf, leftOpen } from '../drill/cost.ts';
import type { StepRecord } from '../drill/model.ts';
import { hasRace } from '../drill/propose.ts';
import type { Lab } from '../labs/contract.ts';
import { getLab } from '../labs/registry.ts';
import { getRun } from './get-run.ts';
import type { RunView } from './model.ts';

/** Most runs that fit beside one another. */
export const MAX_COLUMNS = 4;

export interface ComparedRun {
  /** `A` to `D`. */
  letter: string;
  run: RunView;
  /** The step that is compared; null where this run has none of that label. */
  step: StepRecord | null;
  /** What the decisions of this run cost, in plain words, as it stands. */
  costs: string[];
  /** A correct operator would still go on from where it ended. */
  open: boolean;
  /** It has come to its end; before that nobody knows what it costs. Free play ends where it stands. */
  over: boolean;
}

export interface Comparison {
  runs: ComparedRun[];
  /** Labels in their common order, and at which every run is equal. */
  labels: { label: string; equal: boolean; in: boolean[] }[];
  /** The label compared, or `end`: the last step of each. */
  at: string;
  /** The first difference that matters, between the first run and each other. */
  sentences: string[];
  /** All runs have the same steps with the same evidence, to the byte. */
  equal: boolean;
  /** A run has a race, so its bytes may differ without a meaning. */
  race: boolean;
}

const LETTERS = ['A', 'B', 'C', 'D'];

function sentence(first: ComparedRun, other: ComparedRun, several: boolean, lab: Lab): string {
  const [a, b] = [first.step?.evidence, other.step?.evidence];
  const names = [`run ${first.letter}`, `run ${other.letter}`] as const;
  if (a && b && several && canonicalJson(a) === canonicalJson(b))
    return `Run ${first.letter} and ${names[1]} have the same evidence, to the byte.`;
  if (a && b) return differenceSentence(a, b, names, lab.stores, lab.makes);
  if (!a && !b)
    return several
      ? `Neither run ${first.letter} nor ${names[1]} has any evidence there.`
      : 'Neither has any evidence there.';
  return `Run ${(a ? other : first).letter} has no evidence there.`;
}

function isOver({ scenario, steps, running, holding, next }: RunView): boolean {
  if (running || holding.length > 0 || steps.length === 0) return false;
  return scenario === null || next === null;
}

/**
 * Sets runs side by side, aligned by label.
 *
 * @param ids two to four runs of one lab
 * @param label the step to compare; `end`, or one that none has, compares the last step of each
 * @throws DrillError `usage` for fewer than two or more than four, or for runs of different labs; else as `getRun`
 */
export async function compareRuns(ids: readonly string[], label = 'end'): Promise<Comparison> {
  if (ids.length < 2 || ids.length > MAX_COLUMNS)
    throw new DrillError('usage', `Two to four runs can be compared, not ${ids.length}.`);
  const views = await Promise.all(ids.map((id) => getRun(id)));
  const [lab] = views.map((view) => getLab(view.lab));
  if (!lab || views.some((view) => view.lab !== lab.id))
    throw new DrillError(
      'usage',
      'Runs of different labs have no evidence in common; compare runs of one lab.',
    );
  const aligned = alignSteps(views.map((view) => view.steps));
  const at = aligned.some((step) => step.label === label) ? label : 'end';
  const runs = views.map((run, index): ComparedRun => {
    const found = at === 'end' ? run.steps.at(-1) : run.steps.find((step) => step.label === at);
    return {
      letter: LETTERS[index] as string,
      run,
      step: found ?? null,
      costs: costOf(lab, run.steps),
      open: leftOpen(lab, run.steps),
      over: isOver(run),
    };
  });
  const [first, ...others] = runs as [ComparedRun, ...ComparedRun[]];
  return {
    runs,
    labels: aligned.map(({ label: name, equal, steps }) => ({
      label: name,
      equal,
      in: steps.map((step) => step !== null),
    })),
    at,
    sentences: others.map((other) => sentence(first, other, others.length > 1, lab)),
    equal: views.every((view) => view.steps.length > 0) && equalToTheByte(views.map((view) => view.steps)),
    race: views.some((view) => hasRace(view.steps.map((step) => step.spec))),
  };
}
