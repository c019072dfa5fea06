/** A process as the operating system knows it, told apart from a later one that got the same pid. */
import { readFileSync } from './fs.ts';

export interface ProcessStat {
  state: string;
  group: number;
  startTime: string;
}

/** Null where there is no such process, or no /proc to ask. */
export function processStat(pid: number): ProcessStat | null {
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

/** True for a process that has ended and of whom only the entry is left. */
export const isDead = (stat: ProcessStat): boolean => DEAD.has(stat.state);

/** True where something answers to that pid, or, negative, to that group. */
export function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time of a process in clock ticks since boot, as text; empty where the system does not tell. */
export function startTime(pid: number): string {
  return processStat(pid)?.startTime ?? '';
}

/**
 * True while that very process lives: same pid, same start time, not a zombie. Where the system does not tell start
 * times, whatever answers to the pid counts as alive.
 */
export function isAlive(pid: number, started: string): boolean {
  const now = processStat(pid);
  if (!now) return process.platform !== 'linux' && answers(pid);
  return !isDead(now) && (started === '' || now.startTime === started);
}
