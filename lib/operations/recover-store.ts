import { store } from '#db/open.ts';
import { runsDeleting, runsHolding } from '#db/runs.ts';
import { stepsBegun } from '#db/steps.ts';
import { finishDeletion } from './delete-run.ts';
import { loadRun } from './load-run.ts';
import { recoverRun } from './recover-run.ts';

export interface Recovered {
  /** Runs with a step that became `interrupted`, or that lost a held executor. */
  settled: string[];
  /** Runs that could not be settled, with the reason: they stay as they are. */
  failed: { run: string; reason: string }[];
}

/**
 * For a start: settles every run whose owner is dead, and ends deletions that were cut short. Runs whose owner
 * lives, a command line beside the server, are left alone.
 */
export async function recoverStore(): Promise<Recovered> {
  const db = store();
  const recovered: Recovered = { settled: [], failed: [] };
  for (const run of runsDeleting(db)) finishDeletion(run);
  const open = new Set([...stepsBegun(db).map((step) => step.run), ...runsHolding(db)]);
  for (const run of open) {
    try {
      if (await recoverRun(loadRun(run))) recovered.settled.push(run);
    } catch (error) {
      // One run that cannot be read must not keep the others from being served.
      recovered.failed.push({ run, reason: (error as Error).message });
    }
  }
  return recovered;
}
