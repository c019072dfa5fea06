import { store } from '#db/open.ts';
import { latestOfScenario } from '#db/runs.ts';
import { armedFaults } from '../drill/control.ts';
import type { Scenario, ScenarioText } from '../drill/model.ts';
import { scenariosOf } from '../drill/scenario.ts';
import type { CheckResult, Decision } from '../evidence/model.ts';
import { labs } from '../labs/registry.ts';

export interface CatalogueEntry {
  id: string;
  lab: string;
  text: Pick<ScenarioText, 'title' | 'question'>;
  /** Boundaries at which its steps are stopped, races included. */
  boundaries: string[];
  /** Safeguards that it runs without. */
  without: string[];
  /** Damages a store on purpose. */
  damage: boolean;
  /** Has at least one run. */
  tried: boolean;
  /** What follows is known only once a run went to the end: the catalogue gives nothing away. */
  finished: boolean;
  decision: Decision | null;
  verdict: CheckResult | null;
  counterexample: boolean | null;
}

export interface CatalogueLab {
  id: string;
  title: string;
  summary: string;
  scenarios: CatalogueEntry[];
}

function entry(scenario: Scenario): CatalogueEntry {
  const latest = latestOfScenario(store(), scenario.id);
  const faults = scenario.steps.flatMap((step) => armedFaults(step).map((fault) => fault.at));
  const races = scenario.steps.flatMap((step) => (step.race ? [step.race.at] : []));
  const { title, question } = scenario.text;
  return {
    id: scenario.id,
    lab: scenario.lab,
    text: { title, question },
    boundaries: [...new Set([...faults, ...races])],
    without: scenario.without ?? [],
    damage: scenario.steps.some((step) => step.damage !== undefined),
    tried: latest.tried,
    finished: latest.finished,
    decision: latest.decision,
    verdict: latest.verdict,
    counterexample: latest.finished ? (scenario.violates ?? []).length > 0 : null,
  };
}

/** Every scenario, lab by lab, with what its runs have shown so far. One index look-up a scenario. */
export async function catalogue(): Promise<CatalogueLab[]> {
  return labs.map((lab) => ({
    id: lab.id,
    title: lab.title,
    summary: lab.summary,
    scenarios: scenariosOf(lab.id).map(entry),
  }));
}
