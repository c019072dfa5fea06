/** Damage: what no command of the lab does, done to see whether anybody notices. */

import { join } from 'node:path';
import { DrillError } from '../../core/errors.ts';
import { existsSync, rmSync } from '../../core/fs.ts';
import { copyRaw } from '../../evidence/files.ts';
import type { Command, Commands } from '../child.ts';
import { RUNS, TICKETS } from './words.ts';

function removeFiles(dir: string, file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dir, file + suffix), { force: true });
}

const deleteStore =
  (file: string): Command =>
  ({ dir }) => {
    removeFiles(dir, file);
    return { exit: 0, reply: { status: 'deleted', file } };
  };

const restoreStore =
  (file: string): Command =>
  ({ dir, args }) => {
    if (typeof args.from !== 'string' || !existsSync(join(args.from, file))) {
      throw new DrillError('usage', `That step left no copy of ${file} to put back.`);
    }
    removeFiles(dir, file);
    copyRaw([file], args.from, dir);
    return { exit: 0, reply: { status: 'restored', file } };
  };

export const commands: Commands = {
  'delete-runs': deleteStore(RUNS.file),
  'delete-tickets': deleteStore(TICKETS.file),
  'restore-runs': restoreStore(RUNS.file),
  'restore-tickets': restoreStore(TICKETS.file),
};
