import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** Where a path really leads, links followed as far as it exists. */
function real(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const up = dirname(whole);
    return up === whole ? whole : join(/*turbopackIgnore: true*/ real(up), basename(whole));
  }
}

/** True where `path` is `parent` or lies below it, also by way of a link. */
export function isInside(path: string, parent: string): boolean {
  const way = relative(real(parent), real(path));
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}

/** mkdir -p, a folder at a time: Node's own never returns below /proc, where a folder cannot be made. */
export function makeDirectory(dir: string): void {
  if (existsSync(dir)) return;
  makeDirectory(dirname(dir));
  try {
    mkdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
