/** Damage: what no command of the lab does, done to see whether anybody notices. */

import { join } from 'node:path';
import { DrillError } from '../../core/errors.ts';
import { existsSync, rmSync, writeFileSync } from '../../core/fs.ts';
import { copyRaw } from '../../evidence/files.ts';
import { commitOrLeave } from '../../sqlite/open.ts';
import type { Command, Commands } from '../child.ts';
import { openService } from './service.ts';
import { CLIENT, SERVICE } from './words.ts';

type Store = typeof CLIENT;

function remove(dir: string, { file }: Store): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dir, file + suffix), { force: true });
}

const deletes =
  (store: Store): Command =>
  ({ dir }) => {
    remove(dir, store);
    return { exit: 0, reply: { status: 'deleted', store: store.id } };
  };

const overwrites =
  (store: Store): Command =>
  ({ dir }) => {
    remove(dir, store);
    writeFileSync(
      join(dir, store.file),
      'This was a database once. It is plain text now, and no more than that.\n',
    );
    return { exit: 0, reply: { status: 'overwritten', store: store.id } };
  };

const restores =
  (store: Store): Command =>
  ({ dir, args }) => {
    if (typeof args.from !== 'string' || !existsSync(join(args.from, store.file))) {
      throw new DrillError('usage', 'That step left no copy of the database to put back.');
    }
    remove(dir, store);
    copyRaw([store.file], args.from, dir);
    return { exit: 0, reply: { status: 'restored', store: store.id } };
  };

const changeTickets: Command = ({ dir }) => {
  const db = openService(dir);
  try {
    const tickets = commitOrLeave<number>(db, SERVICE.id, 'damage', {}, (leave) => {
      const { changes } = db.prepare("UPDATE tickets SET title = 'Something else'").run();
      return changes > 0 ? changes : leave(0);
    });
    if (tickets > 0) return { exit: 0, reply: { status: 'damaged', tickets } };
    return {
      exit: 3,
      reply: { status: 'nothing-to-damage', message: 'There is no ticket to damage.', definite: true },
    };
  } finally {
    db.close();
  }
};

export const commands: Commands = {
  'change-tickets': changeTickets,
  'delete-client': deletes(CLIENT),
  'delete-service': deletes(SERVICE),
  'overwrite-client': overwrites(CLIENT),
  'restore-client': restores(CLIENT),
  'restore-service': restores(SERVICE),
};
