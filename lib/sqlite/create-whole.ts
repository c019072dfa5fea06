/** A database that is there whole or not at all, whatever moment its maker dies in. */

import { basename, dirname, join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import { linkSync, rmSync } from '../core/fs.ts';
import { createDatabase } from './open.ts';

/**
 * Makes a database under a name of its own and links it to its final name when it is complete. Of two that want the
 * name at once, one gets it.
 *
 * @throws DrillError `would-overwrite` when anything lies at that path, `unavailable` where it cannot be written
 */
export function createWhole(file: string, schema: string): void {
  const draft = join(dirname(file), `.${basename(file)}-${process.pid}`);
  try {
    createDatabase(draft, schema).close();
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new DrillError('would-overwrite', 'A database is already there; it was left as it is.');
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
  }
}
