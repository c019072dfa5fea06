import { DrillError } from '../core/errors.ts';
import { loadSweep, type SweepView, viewOfSweep } from './get-sweep.ts';
import { ownerLives } from './owner.ts';
import { settle, stopSweep, sweepsAtWork } from './sweep-job.ts';

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
    stopSweep(work, 'cancelled');
    // One that waits for another has nothing in flight, and its own end comes after the other's.
    if (work.waiting) settle(id, 'cancelled');
    else await work.end;
  } else if (ownerLives({ pid: row.owner_pid, start: row.owner_start, boot: row.boot })) {
    throw new DrillError('busy', `Process ${row.owner_pid} works on this sweep; cancel it there.`);
  } else settle(id, 'cancelled');
  return viewOfSweep(loadSweep(id));
}
