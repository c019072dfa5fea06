/** Who holds a connection: while that process lives, its calls are nobody else's to judge. */
import { statSync } from '../../core/fs.ts';
import { isAlive, startTime } from '../../core/process.ts';

/** The very file, and not a copy of it: whoever works on the original is no client of the copy. */
function identity(file: string): string {
  const { dev, ino } = statSync(file);
  return `${dev}:${ino}`;
}

/** This process, as the owner of connections in that database. */
export const ownerHere = (file: string): string => ownerOf(process.pid, file);

/** That process, as one that works on that database. */
export const ownerOf = (pid: number, file: string): string => `${pid} ${startTime(pid)} ${identity(file)}`;

/**
 * True while the owner can still write to that database. A process of another machine or container, of which this
 * one knows nothing, counts as ended.
 */
export function ownerLives(owner: string, file: string): boolean {
  const [pid, started = '', where] = owner.split(' ');
  return where === identity(file) && isAlive(Number(pid), started);
}
