import { rmSync } from 'node:fs';
import { store } from '#db/open.ts';
import { removeSweep } from '#db/sweeps.ts';
import { DrillError } from '../core/errors.ts';
import { translate } from '../sqlite/open.ts';
import { loadSweep } from './get-sweep.ts';
import { scratch } from './sweep-job.ts';

function removed(id: string): boolean {
  try {
    return removeSweep(store(), id);
  } catch (error) {
    throw translate(error);
  }
}

/**
 * Deletes a sweep with its recorded cells, and the directory of one that ended badly. Runs opened from it stay.
 *
 * @throws DrillError `usage` or `not-found` for an id that leads nowhere, `busy` for one that is at work
 */
export async function deleteSweep(id: string): Promise<void> {
  const row = loadSweep(id);
  if (!removed(row.id)) {
    throw new DrillError('busy', 'This sweep is running. Cancel it first; nothing was deleted.');
  }
  rmSync(scratch(row.id), { recursive: true, force: true });
}
