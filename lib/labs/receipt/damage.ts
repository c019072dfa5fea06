/** Damage: what no command of the lab does, done to see whether anybody notices. */

import { join } from 'node:path';
import { DrillError } from '../../core/errors.ts';
import { existsSync, rmSync, writeFileSync } from '../../core/fs.ts';
import { copyRaw } from '../../evidence/files.ts';
import { commit } from '../../sqlite/open.ts';
import type { Command, Commands } from '../child.ts';
import { refusal } from './answer.ts';
import { withLab } from './store.ts';
import { FILE, STORE } from './words.ts';

function removeFiles(dir: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dir, FILE + suffix), { force: true });
}

const spoilReceipts =
  (digest: string): Command =>
  ({ dir, without }) =>
    withLab(dir, without, ({ db }) => {
      const receipts = commit(
        db,
        STORE,
        'damage',
        {},
        () => db.prepare('UPDATE receipts SET digest = ?').run(digest).changes,
      );
      if (receipts === 0) return refusal('nothing-to-damage', 'There is no receipt to damage.');
      return { exit: 0, reply: { status: 'damaged', receipts } };
    });

const deleteDatabase: Command = ({ dir }) => {
  removeFiles(dir);
  return { exit: 0, reply: { status: 'deleted' } };
};

const overwriteDatabase: Command = ({ dir }) => {
  removeFiles(dir);
  writeFileSync(
    join(dir, FILE),
    'This was a database once. It is plain text now, long enough to be looked at.\n',
  );
  return { exit: 0, reply: { status: 'overwritten' } };
};

const restoreCopy: Command = ({ dir, args }) => {
  if (typeof args.from !== 'string' || !existsSync(join(args.from, FILE))) {
    throw new DrillError('usage', 'That step left no copy of the database to put back.');
  }
  removeFiles(dir);
  copyRaw([FILE], args.from, dir);
  return { exit: 0, reply: { status: 'restored' } };
};

export const commands: Commands = {
  'damage-receipt': spoilReceipts('0'.repeat(64)),
  'empty-receipt': spoilReceipts(''),
  'delete-database': deleteDatabase,
  'overwrite-database': overwriteDatabase,
  'restore-copy': restoreCopy,
};
