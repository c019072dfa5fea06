import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DrillError } from '../core/errors.ts';
import type { Evidence } from '../evidence/model.ts';
import { getLab, labs } from '../labs/registry.ts';

/**
 * Evidence of a directory, read without changing it.
 *
 * @param labId which lab's; found by the files that lie there where it is left out
 * @throws DrillError `no-database` where no lab's database is, `not-a-database` where a file is something else
 */
export function inspectDir(dir: string, labId?: string): Evidence {
  const path = resolve(dir);
  const candidates = labId ? [getLab(labId)] : labs;
  const lab = candidates.find((candidate) =>
    candidate.stores.some((store) => existsSync(join(path, store.file))),
  );
  if (!lab) throw new DrillError('no-database', `There is no lab database in ${dir}.`);
  const evidence = lab.readEvidence(path);
  const unreadable = evidence.integrity.find((one) => one.quickCheck === 'unreadable');
  if (unreadable) {
    const file = lab.stores.find((store) => store.id === unreadable.store)?.file ?? unreadable.store;
    throw new DrillError('not-a-database', `${file} is there, but it is not a sound SQLite database.`);
  }
  return evidence;
}
