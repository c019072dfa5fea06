import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { dataDirectory } from '#db/open.ts';
import { DrillError } from '../core/errors.ts';

const RUN_ID = /^r[0-9a-z]{8}[0-9a-f]{12}$/;

/** An id that sorts by age and is never used twice. */
export function newRunId(): string {
  const time = Date.now().toString(36).padStart(8, '0');
  return `r${time}${randomBytes(6).toString('hex')}`;
}

/** @throws DrillError `usage` for anything that is no run id: a path, an empty string */
export function checkRunId(id: unknown): string {
  if (typeof id === 'string' && RUN_ID.test(id)) return id;
  const shown = typeof id === 'string' ? `"${id.slice(0, 40)}"` : 'That';
  throw new DrillError('usage', `${shown} is no run id; the list of runs has them.`);
}

/**
 * The directory of a run. Only an id leads to one, and only to one below the data directory (docs/design.md, "Safety").
 *
 * @throws DrillError `usage` for what is no run id, `refused` where a link leads out of the data directory
 */
export function runDirectory(id: string): string {
  const runs = join(dataDirectory(), 'runs');
  const dir = join(runs, checkRunId(id));
  let real: string;
  try {
    real = realpathSync(dir);
  } catch {
    return dir;
  }
  if (!real.startsWith(realpathSync(runs) + sep)) {
    throw new DrillError(
      'refused',
      `The directory of run ${id} lies outside the data directory; it was not touched.`,
    );
  }
  return dir;
}

/** Bytes that a directory takes on disk; 0 where there is none. Links are counted, never followed. */
export function bytesOnDisk(dir: string): number {
  let total = 0;
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return 0;
  }
  for (const name of names) {
    const path = join(dir, name);
    try {
      const stat = lstatSync(path);
      total += stat.isDirectory() ? bytesOnDisk(path) : stat.blocks * 512;
    } catch {
      // Gone between listing and reading: a checkpoint removes a -wal.
    }
  }
  return total;
}
