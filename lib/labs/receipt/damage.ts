/** Damage: what no command of the lab does, done to see whether anybody notices. */
import type { Commands } from '../child.ts';
import { changes, deletes, overwrites, restores } from '../kit/child.ts';
import { LAB } from './words.ts';

const spoils = (digest: string) => changes(LAB, 'receipt', 'UPDATE receipts SET digest = ?', digest);

export const commands: Commands = {
  'damage-receipt': spoils('0'.repeat(64)),
  'empty-receipt': spoils(''),
  'delete-database': deletes(LAB),
  'overwrite-database': overwrites(LAB),
  'restore-copy': restores(LAB),
};
