import { store } from '#db/open.ts';
import { adoptSweep, sweepsRunning } from '#db/sweeps.ts';
import { me, ownerLives } from './owner.ts';
import { workOn } from './sweep-job.ts';

/**
 * Goes on with every sweep whose owner is dead, from its recorded cells. A cell without a record is done anew.
 *
 * @returns the sweeps taken over
 */
export function resumeSweeps(): string[] {
  const db = store();
  const own = me();
  const mine = { owner_pid: own.pid, owner_start: own.start, boot: own.boot };
  return sweepsRunning(db)
    .filter((row) => !ownerLives({ pid: row.owner_pid, start: row.owner_start, boot: row.boot }))
    .filter((row) => adoptSweep(db, { id: row.id, ...mine }, row))
    .map((row) => {
      workOn({ ...row, ...mine });
      return row.id;
    });
}
