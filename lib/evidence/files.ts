import { join } from 'node:path';
import { constants, copyFileSync, mkdirSync, statSync } from '../core/fs.ts';

const SUFFIXES = ['', '-wal', '-shm'];

/**
 * Copies databases with their `-wal` and `-shm` aside, together, before anything opens them: the main file alone
 * would silently lose the last commits (docs/design.md, "Evidence").
 *
 * @param files file names of the databases inside `from`
 * @returns the names copied
 */
export function copyRaw(files: readonly string[], from: string, to: string): string[] {
  mkdirSync(to, { recursive: true });
  const copied: string[] = [];
  for (const file of files) {
    for (const suffix of SUFFIXES) {
      const name = file + suffix;
      if (!statSync(join(from, name), { throwIfNoEntry: false })?.isFile()) continue;
      copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
      copied.push(name);
    }
  }
  return copied;
}
