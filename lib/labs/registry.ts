/** Every lab, one line each. Imports manifests, never commands: those belong to executors. */
import { DrillError } from '../core/errors.ts';
import { ended, whatThereIs } from '../core/nearest.ts';
import type { Lab } from './contract.ts';
import { lab as outbox } from './outbox/manifest.ts';
import { lab as receipt } from './receipt/manifest.ts';
import { lab as session } from './session/manifest.ts';
import { lab as writeRecovery } from './write-recovery/manifest.ts';

export const labs: readonly Lab[] = [receipt, outbox, writeRecovery, session];

/** @throws DrillError `not-found` naming the labs there are */
export function getLab(id: string): Lab {
  const lab = labs.find((candidate) => candidate.id === id);
  if (!lab) {
    const known = labs.map((candidate) => candidate.id);
    throw new DrillError('not-found', ended(`There is no lab "${id}"; ${whatThereIs(id, known)}`));
  }
  return lab;
}
