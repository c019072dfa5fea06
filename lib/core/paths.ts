import { isAbsolute, join, relative, resolve } from 'node:path';

/** The dashboard's data directory: `DRILL_DATA_DIR`, else `.data` under the working directory. */
export function dataDir(): string {
  return resolve(/* turbopackIgnore: true */ process.env.DRILL_DATA_DIR || join(process.cwd(), '.data'));
}

/** True where `path` is `parent` or lies below it. */
export function isInside(path: string, parent: string): boolean {
  const way = relative(resolve(parent), resolve(path));
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}
