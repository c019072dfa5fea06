import { availableParallelism } from 'node:os';
import { DrillError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { StepRecord } from '../drill/model.ts';
import { getScenario } from '../drill/scenario.ts';
import { getLab } from '../labs/registry.ts';
import { mapLimited, runInTemporary } from './run.ts';

/**
 * The published document of a lab, computed from real processes and databases.
 *
 * @param without mechanisms to switch off: the document must change then
 * @throws DrillError `usage` for a lab that has no published document
 */
export async function oracleDocument(labId: string, without: readonly string[] = []): Promise<JsonObject> {
  const lab = getLab(labId);
  if (!lab.oracle) throw new DrillError('usage', `Lab ${labId} has no published document to reproduce.`);
  const spec = await lab.oracle();
  const runs = await mapLimited(
    spec.scenarios,
    availableParallelism(),
    async (id): Promise<[string, readonly StepRecord[]]> => [
      id,
      (await runInTemporary(getScenario(id), without)).records,
    ],
  );
  return spec.document(Object.fromEntries(runs));
}
