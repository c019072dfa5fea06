import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DrillError } from '../core/errors.ts';
import type { Evidence } from '../evidence/model.ts';
import { getLab, labs } from '../labs/registry.ts';
import { openReadOnly } from '../sqlite/open.ts';

/**
 * Evidence of a directory, read without changing it.
 *
 * @param labId which lab's; found by the files that lie there where it is left out
 * @throws DrillError `no-database` where no lab's database is, `not-a-database` where a file is something else,
 *   `unavailable` where it cannot be opened
 */
export function inspectDir(dir: string, labId?: string): Evidence {
  const path = resolve(dir);
  const candidates = labId ? [getLab(labId)] : labs;
  const lab = candidates.find((candidate) =>
    candidate.stores.some((store) => existsSync(join(path, store.file))),
  );
  if (!lab) throw new DrillError('no-database', `There is no lab database in ${dir}.`);
  for (const { file, tables } of lab.stores) {
    if (existsSync(join(path, file))) openReadOnly(join(path, file), tables).close();
  }
  return lab.readEvidence(path);
}
