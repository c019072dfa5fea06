import { store } from '#db/open.ts';
import { insertRun } from '#db/runs.ts';
import { canonicalJson } from '../core/canonical.ts';
import { DrillError } from '../core/errors.ts';
import { ended, whatThereIs } from '../core/nearest.ts';
import type { Scenario } from '../drill/model.ts';
import { scenariosOf } from '../drill/scenario.ts';
import { judge } from '../drill/verdict.ts';
import type { Lab } from '../labs/contract.ts';
import { getLab } from '../labs/registry.ts';
import { translate } from '../sqlite/open.ts';
import { findScenario } from './own-scenarios.ts';
import { newRunId } from './run-directory.ts';

export interface StartRun {
  /** Id of a built-in scenario; or a scenario read from a file; or, for free play, the id of a lab. */
  scenario?: string | Scenario;
  lab?: string;
  /** Safeguards to switch off besides those of the scenario. */
  without?: readonly string[];
}

export function checkSafeguards(lab: Lab, without: readonly string[]): void {
  const known = lab.safeguards.map((safeguard) => safeguard.name);
  const unknown = without.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new DrillError(
    'usage',
    ended(`Lab ${lab.id} has no safeguard "${unknown}"; ${whatThereIs(unknown, known)}`),
  );
}

function chosen(request: StartRun): { lab: Lab; scenario: Scenario | null } {
  if (request.scenario !== undefined) {
    const scenario = typeof request.scenario === 'string' ? findScenario(request.scenario) : request.scenario;
    return { lab: getLab(scenario.lab), scenario };
  }
  if (request.lab === undefined)
    throw new DrillError('usage', 'A run needs a scenario, or a lab for free play.');
  return { lab: getLab(request.lab), scenario: null };
}

/** A file may carry the id of a built-in scenario and say something else: a run of it is none of ours. */
function countsAs(scenario: Scenario): boolean {
  const ours = scenariosOf(scenario.lab).find((candidate) => candidate.id === scenario.id);
  return !ours || canonicalJson(ours) === canonicalJson(scenario);
}

/**
 * Begins a run: one row, nothing else. Its directory is made by its first step.
 *
 * @returns the id of the run
 * @throws DrillError `not-found` for an unknown scenario or lab, `usage` for an unknown safeguard, `unavailable`
 *   where the store cannot be written; nothing has begun then
 */
export async function startRun(request: StartRun): Promise<{ run: string }> {
  const { lab, scenario } = chosen(request);
  const extra = request.without ?? [];
  checkSafeguards(lab, extra);
  const own = scenario?.without ?? [];
  const without = [...new Set([...own, ...extra])];
  const id = newRunId();
  try {
    insertRun(store(), {
      id,
      lab: lab.id,
      scenario: scenario && countsAs(scenario) ? scenario.id : null,
      definition: scenario ? JSON.stringify(scenario) : null,
      title: scenario?.text.title ?? `Free play: ${lab.title}`,
      without: JSON.stringify(without),
      faithful: without.length === own.length ? 1 : 0,
      created_at: new Date().toISOString(),
      origin_run: null,
      origin_label: null,
      steps_total: scenario?.steps.length ?? null,
      judgement: JSON.stringify({ ...judge(lab, scenario, []), stuck: null }),
    });
  } catch (error) {
    throw translate(error);
  }
  return { run: id };
}
