import { armedFaults } from '#lib/drill/control.ts';
import type { StepSpec } from '#lib/drill/model.ts';
import type { RunView } from '#lib/operations/model.ts';
import { verbOf } from '../../_ui/step-facts.ts';

/** A step that has no record yet, as far as it may be shown. */
export interface AheadStep {
  number: number;
  /** null while a question stands before it or a later one: a label often says what comes of its step. */
  label: string | null;
  verb: string;
  /** Boundaries at which it will be stopped. */
  stops: string[];
  working: boolean;
}

function shownVerb(spec: StepSpec, known: ReadonlySet<string>): string {
  if (!spec.release || known.has(spec.release)) return verbOf(spec);
  return spec.action ?? 'release';
}

/** What is still to come. While questions are asked, nothing of it stands there that could be the answer. */
export function stepsAhead(
  run: Pick<RunView, 'steps' | 'running' | 'scenario'>,
  asking: boolean,
): AheadStep[] {
  const { steps, running, scenario } = run;
  const rest = scenario?.steps.slice(steps.length) ?? [];
  const ahead: StepSpec[] = running && rest.length === 0 ? [{ label: running.label }] : rest;
  const hidden = asking && rest.some((spec) => spec.predict);
  const known = new Set((hidden ? steps : [...steps, ...rest]).map(({ label }) => label));
  return ahead.map((spec, index) => {
    const number = steps.length + index + 1;
    return {
      number,
      label: hidden ? null : spec.label,
      verb: shownVerb(spec, known),
      stops: armedFaults(spec).map(({ at }) => at),
      working: running?.seq === number,
    };
  });
}
