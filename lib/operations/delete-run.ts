import { rmSync } from 'node:fs';
import { store } from '#db/open.ts';
import { markDeleting, removeRun } from '#db/runs.ts';
import { DrillError } from '../core/errors.ts';
import { endSession, inLine, live, liveKey } from './live.ts';
import { loadRun } from './load-run.ts';
import { isMe } from './owner.ts';
import { recoverRun } from './recover-run.ts';
import { runDirectory } from './run-directory.ts';

/** Removes the directory and then the row of a run marked as deleting; a crash between is finished at a start. */
export function finishDeletion(id: string): void {
  rmSync(runDirectory(id), { recursive: true, force: true });
  removeRun(store(), id);
}

/**
 * Deletes a run with its directory. What it holds is ended first. Branches of it stay.
 *
 * @throws DrillError `busy` where another program works on it, `not-found` where there is no such run
 */
export async function deleteRun(id: string): Promise<void> {
  await inLine(id, async () => {
    let run = loadRun(id);
    if (await recoverRun(run)) run = loadRun(id);
    const foreign = run.owner !== null && !isMe(run.owner);
    if (foreign && (run.begun || run.row.holding !== '[]')) {
      throw new DrillError('busy', `Process ${run.owner?.pid} still works on this run. Nothing was deleted.`);
    }
    await endSession(id);
    markDeleting(store(), id);
    live().unsaved.delete(liveKey(id));
    finishDeletion(id);
  });
}
