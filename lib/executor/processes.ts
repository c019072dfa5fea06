/** What the operating system knows of processes: identity across pid reuse, members of a group. */
import { readdirSync } from 'node:fs';
import { answers, isDead, processStat } from '../core/process.ts';

export { isAlive, startTime } from '../core/process.ts';

/** Pids in a process group that are alive; zombies do not count. */
export function groupMembers(group: number): number[] {
  if (!answers(-group)) return [];
  if (process.platform !== 'linux') return [group];
  const members: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const found = processStat(pid);
    if (found && found.group === group && !isDead(found)) members.push(pid);
  }
  return members;
}

/** True where every member of the list waits in the kernel and computes nothing. */
export function allAsleep(pids: readonly number[]): boolean {
  return pids.every((pid) => processStat(pid)?.state !== 'R');
}

/** Ends one process by SIGKILL; one that is gone already is no error. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** Ends a whole process group by SIGKILL; a group that is gone already is no error. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
