import { randomBytes } from 'node:crypto';
import { store } from '#db/open.ts';
import { findSweep, insertSweep, type SweepKind, type SweepRow, sweepsRunning } from '#db/sweeps.ts';
import { DrillError } from '../core/errors.ts';
import { getLab } from '../labs/registry.ts';
import { translate } from '../sqlite/open.ts';
import { me } from './owner.ts';
import { checkSafeguards } from './start-run.ts';
import { workOn } from './sweep-job.ts';

export interface StartSweep {
  kind: SweepKind;
  lab: string;
  /** Faults in a cell, 1 to 3; of a safeguard table 1, or 2 for pairs as well. */
  depth: number;
  /** Safeguards off throughout; a matrix only. */
  without?: readonly string[];
}

const MOST = { matrix: 3, safeguards: 2 } as const;

function newSweepId(): string {
  return `s${Date.now().toString(36).padStart(8, '0')}${randomBytes(6).toString('hex')}`;
}

/**
 * Begins a sweep in the background. One that is at work already with the same question is not begun twice.
 *
 * @returns its id
 * @throws DrillError `not-found` for an unknown lab, `usage` for an unknown safeguard, `malformed` for a depth that
 *   there is not, `unavailable` where the store cannot be written
 */
export async function startSweep(request: StartSweep): Promise<{ sweep: string }> {
  const { kind, depth } = request;
  if (!Object.hasOwn(MOST, kind)) throw new DrillError('usage', 'A sweep is a matrix or a safeguard table.');
  const lab = getLab(request.lab);
  const without = kind === 'matrix' ? [...new Set(request.without ?? [])].sort() : [];
  checkSafeguards(lab, without);
  if (!Number.isInteger(depth) || depth < 1 || depth > MOST[kind]) {
    throw new DrillError('malformed', `The depth is a whole number from 1 to ${MOST[kind]}.`);
  }
  const db = store();
  const asked = { kind, lab: lab.id, depth, without: JSON.stringify(without) };
  const same = sweepsRunning(db).find((row) =>
    (['kind', 'lab', 'depth', 'without'] as const).every((key) => row[key] === asked[key]),
  );
  if (same) return { sweep: same.id };
  const own = me();
  const owner = { owner_pid: own.pid, owner_start: own.start, boot: own.boot };
  const id = newSweepId();
  try {
    insertSweep(db, { id, ...asked, created_at: new Date().toISOString(), ...owner });
  } catch (error) {
    throw translate(error);
  }
  workOn(findSweep(db, id) as SweepRow);
  return { sweep: id };
}
