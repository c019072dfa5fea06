import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Scenario, StepRecord } from '../drill/model.ts';
import { runScenario } from '../drill/run.ts';
import { getScenario } from '../drill/scenario.ts';
import { inLanes } from '../drill/sweep/lanes.ts';
import { canShare, runShared } from '../drill/sweep/shared.ts';
import { Walks } from '../drill/sweep/walk.ts';
import { getLab } from '../labs/registry.ts';
import { checkSafeguards } from '../operations/start-run.ts';
import { inScratch } from './scratch.ts';

/**
 * The published document of a lab, computed from real processes and databases. Cases that begin alike share the
 * executors of their beginning; every state and request that differs gets its own.
 *
 * @param without safeguards to switch off: the document must change then
 * @throws DrillError `usage` for a lab that has no published document, or a safeguard that it has not
 */
export async function oracleDocument(labId: string, without: readonly string[] = []): Promise<JsonObject> {
  const lab = getLab(labId);
  checkSafeguards(lab, without);
  if (!lab.oracle) throw new DrillError('usage', `Lab ${labId} has no published document to reproduce.`);
  const spec = await lab.oracle();
  const runs = await inScratch('oracle', async (dir) => {
    const groups = new Map<string, Walks>();
    const walksFor = (off: readonly string[]): Walks => {
      const key = off.join('+');
      const walks = groups.get(key) ?? new Walks({ lab, dir: join(dir, `shared-${key}`), without: off });
      groups.set(key, walks);
      return walks;
    };
    const records = async (scenario: Scenario): Promise<readonly StepRecord[]> => {
      const off = [...new Set([...(scenario.without ?? []), ...without])].sort();
      const run = canShare(scenario)
        ? runShared(lab, scenario, walksFor(off))
        : runScenario(lab, scenario, { dir: join(dir, scenario.id), without: off });
      return (await run).records;
    };
    const all = spec.scenarios.map((id) => getScenario(id));
    try {
      return await inLanes(
        all,
        availableParallelism(),
        async (scenario) => [scenario.id, await records(scenario)] as const,
      );
    } finally {
      for (const walks of groups.values()) await walks.close();
    }
  });
  return spec.document(Object.fromEntries(runs));
}
