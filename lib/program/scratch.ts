/**
 * Where a sweep works, and what it leaves when it is killed. The name of the folder says who owns it, and every process
 * of a program lab carries that name in DRILL_STEP: the next start needs no record to find what a kill -9 left.
 */

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import { isAlive, startTime } from '../core/process.ts';

const NAME = /^drill-program-(\d+)-(\d*)-\d+$/;
let count = 0;

/** Six letters for this machine: a database server may serve several. */
export const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 6);

/** Pids whose environment names a text under DRILL_STEP. */
export function processesOf(step: string): number[] {
  if (process.platform !== 'linux') return [];
  const wanted = `DRILL_STEP=${step}`;
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const env = readFileSync(`/proc/${pid}/environ`, 'latin1');
      if (env.startsWith(wanted) || env.includes(`\0${wanted}`)) found.push(pid);
    } catch {
      // Ended meanwhile, or another user's.
    }
  }
  return found;
}

/** Ends every process that carries such a DRILL_STEP, those that it forks meanwhile included. */
export function endProcessesOf(step: string): number {
  const ended = new Set<number>();
  for (let turn = 0; turn < 100; turn++) {
    const pids = processesOf(step);
    if (pids.length === 0) break;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
        ended.add(pid);
      } catch {
        // Gone already, or not ours to end.
      }
    }
  }
  return ended.size;
}

/** Removes a folder, write-protected parts of it included; what is still written to meanwhile is tried again. */
export function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/** Ends the processes and removes the folders of owners that are gone. */
export function cleanLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const match = NAME.exec(name);
    if (!match || isAlive(Number(match[1]), match[2] as string)) continue;
    const dir = join(tmpdir(), name);
    endProcessesOf(dir);
    try {
      remove(dir);
    } catch {
      // Another user's: not ours to clean.
    }
  }
}

const PREFIX = `drill_${machine}_`;

/** The beginning of the names of the databases that this process creates. */
export const databasePrefix = `${PREFIX}${process.pid}_${startTime(process.pid)}_`;

/** True for a database that a process of this machine has left, which is gone. */
export function isLeftDatabase(name: string): boolean {
  const match = new RegExp(`^${PREFIX}(\\d+)_(\\d*)_`).exec(name);
  return match !== null && !isAlive(Number(match[1]), match[2] as string);
}

/**
 * Makes the folder that this process works in.
 *
 * @throws DrillError `unavailable` (definite) where the system's folder for temporary files takes none
 */
export function makeScratch(): string {
  count += 1;
  const dir = join(tmpdir(), `drill-program-${process.pid}-${startTime(process.pid)}-${count}`);
  try {
    mkdirSync(dir);
    // Embedded PostgreSQL runs as another user where we are root, and its folder lies below.
    chmodSync(dir, 0o711);
  } catch (cause) {
    throw new DrillError(
      'unavailable',
      `No folder can be made in ${tmpdir()}: ${(cause as Error).message}.`,
      {
        cause,
      },
    );
  }
  return dir;
}
