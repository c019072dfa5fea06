/** What the operating system knows of processes: identity across pid reuse, members of a group. */
import { readdirSync, readFileSync } from 'node:fs';

interface Stat {
  state: string;
  group: number;
  startTime: string;
}

function stat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name stands in parentheses and may hold spaces and parentheses itself.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', group: Number(fields[2]), startTime: fields[19] ?? '' };
  } catch {
    return null;
  }
}

const DEAD = new Set(['Z', 'X', 'x']);

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time of a process in clock ticks since boot, as text; empty where the system does not tell. */
export function startTime(pid: number): string {
  return stat(pid)?.startTime ?? '';
}

/** True while that very process lives: same pid, same start time, not a zombie. */
export function isAlive(pid: number, started: string): boolean {
  const now = stat(pid);
  if (!now) return process.platform !== 'linux' && answers(pid);
  return !DEAD.has(now.state) && (started === '' || now.startTime === started);
}

/** Pids in a process group that are alive; zombies do not count. */
export function groupMembers(group: number): number[] {
  if (!answers(-group)) return [];
  if (process.platform !== 'linux') return [group];
  const members: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const found = stat(pid);
    if (found && found.group === group && !DEAD.has(found.state)) members.push(pid);
  }
  return members;
}

/** True where every member of the list waits in the kernel and computes nothing. */
export function allAsleep(pids: readonly number[]): boolean {
  return pids.every((pid) => stat(pid)?.state !== 'R');
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
