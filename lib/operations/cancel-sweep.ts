import { store } from '#db/open.ts';
import { finishSweep } from '#db/sweeps.ts';
import { DrillError } from '../core/errors.ts';
import { loadSweep, type SweepView, viewOfSweep } from './get-sweep.ts';
import { ownerLives } from './owner.ts';
import { Cancelled, sweepsAtWork } from './sweep-job.ts';

/**
 * Ends a sweep; its recorded cells stay. The cells in flight end with it, so that the answer is true when it comes.
 *
 * @throws DrillError `usage` or `not-found` for an id that leads nowhere, `busy` where another process works on it
 */
export async function cancelSweep(id: string): Promise<SweepView> {
  const row = loadSweep(id);
  if (row.state !== 'running') return viewOfSweep(row);
  const work = sweepsAtWork().get(id);
  if (work) {
    work.stop.abort(new Cancelled('cancelled'));
    await work.end;
  } else if (ownerLives({ pid: row.owner_pid, start: row.owner_start, boot: row.boot })) {
    throw new DrillError('busy', `Process ${row.owner_pid} works on this sweep; cancel it there.`);
  } else finishSweep(store(), { id, state: 'cancelled', verdict: null, report: null, error: null });
  return viewOfSweep(loadSweep(id));
}
