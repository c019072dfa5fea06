/** Runs a whole scenario in a directory of its own and judges it. */
import type { Lab } from '../labs/contract.ts';
import { RunSession, type RunSessionOptions } from './engine.ts';
import type { Scenario, StepRecord } from './model.ts';
import { type Judgment, judge } from './verdict.ts';

export interface ScenarioRun extends Judgment {
  scenario: Scenario;
  records: StepRecord[];
}

/** Waits for places among the executors that may work at once; the result gives them back. */
export type Gate = (executors: number) => Promise<() => void>;

/**
 * Runs every step of a scenario in order; executors still held at the end are ended.
 *
 * @param options directory and how executors start; `without` adds to what the scenario says
 * @returns records, checks and verdict
 * @throws DrillError for a step that cannot be asked for
 */
export async function runScenario(
  lab: Lab,
  scenario: Scenario,
  options: Omit<RunSessionOptions, 'lab'> & {
    onRecord?: (record: StepRecord) => void;
    gate?: Gate;
  },
): Promise<ScenarioRun> {
  const without = [...new Set([...(scenario.without ?? []), ...(options.without ?? [])])];
  const session = new RunSession({ ...options, lab, without });
  const records: StepRecord[] = [];
  try {
    for (const step of scenario.steps) {
      const leave = await options.gate?.(step.race?.executors ?? 1);
      const record = await session.runStep(step, records).finally(() => leave?.());
      records.push(record);
      options.onRecord?.(record);
    }
  } finally {
    await session.dispose();
  }
  return { scenario, records, ...judge(lab, scenario, records) };
}
