import { loadRun } from './load-run.ts';
import { startRun } from './start-run.ts';

/**
 * A new run of the same scenario, or of the same lab in free play, with the same safeguards off. The old run
 * stays as it is.
 *
 * @returns the id of the new run
 * @throws DrillError as `getRun` and `startRun`
 */
export async function resetRun(id: string): Promise<{ run: string }> {
  const { row, scenario, without } = loadRun(id);
  return startRun(scenario ? { scenario, without } : { lab: row.lab, without });
}
