import { DrillError } from '../core/errors.ts';
import { proposeScenario, scenarioYaml } from '../drill/propose.ts';
import { type Fault, parseScenario } from '../drill/scenario.ts';
import { loadRun } from './load-run.ts';

export interface Proposal {
  id: string;
  yaml: string;
}

/**
 * A scenario proposed from what a run showed, as the text of its file.
 *
 * @throws DrillError `not-found` where there is no such run, `refused` where it has no finished step
 */
export function proposeFromRun(id: string): Proposal {
  const { lab, row, without, records, scenario } = loadRun(id);
  if (records.length === 0)
    throw new DrillError('refused', 'This run has no finished step yet, so there is nothing to propose.');
  const name = `own-${id.slice(-6)}`;
  const proposed = proposeScenario(lab, { title: row.title, scenario, without, records }, name);
  if (scenario) proposed.text = scenario.text;
  return { id: proposed.id, yaml: scenarioYaml(proposed) };
}

/** Every fault of a scenario's text, with its line and column; none where it is one. Reads nothing, keeps nothing. */
export function checkScenario(source: string): Fault[] {
  const parsed = parseScenario(source);
  return parsed.ok ? [] : parsed.faults;
}
