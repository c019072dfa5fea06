/** Scenarios that share the executors of their equal beginnings, as the cells of a sweep do. */

import type { Lab } from '../../labs/contract.ts';
import { armedFaults } from '../control.ts';
import type { Scenario, StepRecord } from '../model.ts';
import type { ScenarioRun } from '../run.ts';
import { judge } from '../verdict.ts';
import { type Node, START, type Walks } from './walk.ts';

/** Steps that end by themselves can be shared; a race, a held executor and damage cannot. */
export function canShare(scenario: Scenario): boolean {
  return scenario.steps.every(
    (step) =>
      step.command !== undefined && !step.race && !armedFaults(step).some((fault) => fault.action === 'hold'),
  );
}

/**
 * Runs a scenario that can be shared.
 *
 * @param walks of all scenarios that run with the same safeguards off
 * @throws DrillError for a step that cannot be asked for
 */
export async function runShared(lab: Lab, scenario: Scenario, walks: Walks): Promise<ScenarioRun> {
  let node: Node = START;
  for (const step of scenario.steps) node = await walks.step(node, step);
  const records = node.history as StepRecord[];
  return { scenario, records, ...judge(lab, scenario, records) };
}
