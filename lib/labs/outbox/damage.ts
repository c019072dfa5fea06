/** Damage done on purpose, by name, each to one store, by nobody who follows the lab's rules (README.md, "Damage"). */

import { join } from 'node:path';
import { DrillError, EXIT } from '../../core/errors.ts';
import { copyFileSync, existsSync, rmSync, writeFileSync } from '../../core/fs.ts';
import type { Command, Commands } from '../child.ts';
import { fileOf, openStore, type StoreId } from './stores.ts';

const SUFFIXES = ['', '-wal', '-shm'];

function damaged(name: string): { exit: number; reply: { status: string; damage: string } } {
  return { exit: EXIT.done, reply: { status: 'damaged', damage: name } };
}

function sql(name: string, store: StoreId, invariant: string): Command {
  return ({ dir }) => {
    const db = openStore(dir, store);
    const { changes } = db.prepare(invariant).run();
    db.close();
    if (changes === 0) throw new DrillError('refused', `There is nothing here that ${name} could damage.`);
    return damaged(name);
  };
}

function remove(dir: string, store: StoreId): void {
  for (const suffix of SUFFIXES) rmSync(fileOf(dir, store) + suffix, { force: true });
}

function deleteStore(name: string, store: StoreId): Command {
  return ({ dir }) => {
    if (!existsSync(fileOf(dir, store)))
      throw new DrillError('refused', `There is no ${store} database to delete.`);
    remove(dir, store);
    return damaged(name);
  };
}

function scribbleStore(name: string, store: StoreId): Command {
  return ({ dir }) => {
    remove(dir, store);
    writeFileSync(fileOf(dir, store), 'This file is not a database, however long it may be.\n'.repeat(80));
    return damaged(name);
  };
}

/** Puts back the raw copy of one store, with its `-wal`: the main file alone would lose the last commits. */
function restoreStore(name: string, store: StoreId): Command {
  return ({ dir, args }) => {
    const from = args.from;
    if (typeof from !== 'string' || !existsSync(fileOf(from, store))) {
      throw new DrillError('refused', `There is no earlier copy of the ${store} database to put back.`);
    }
    remove(dir, store);
    for (const suffix of SUFFIXES) {
      const copy = join(fileOf(from, store) + suffix);
      // The -shm is an index of the -wal; SQLite makes it anew.
      if (suffix !== '-shm' && existsSync(copy)) copyFileSync(copy, fileOf(dir, store) + suffix);
    }
    return damaged(name);
  };
}

export const commands: Commands = {
  'corrupt-payload': sql(
    'corrupt-payload',
    'sender',
    `UPDATE outbox SET payload = json_set(payload, '$.body', 'Something nobody asked for.')`,
  ),
  'corrupt-json': sql('corrupt-json', 'sender', `UPDATE outbox SET payload = substr(payload, 1, 20)`),
  'empty-receipt': sql('empty-receipt', 'receiver', `UPDATE receipts SET response = ''`),
  'change-ticket': sql(
    'change-ticket',
    'receiver',
    `UPDATE tickets SET payload = json_set(payload, '$.title', 'Another ticket')`,
  ),
  'delete-receipts': sql('delete-receipts', 'receiver', 'DELETE FROM receipts'),
  'restore-receiver': restoreStore('restore-receiver', 'receiver'),
  'delete-sender': deleteStore('delete-sender', 'sender'),
  'delete-receiver': deleteStore('delete-receiver', 'receiver'),
  'scribble-sender': scribbleStore('scribble-sender', 'sender'),
  'scribble-receiver': scribbleStore('scribble-receiver', 'receiver'),
};
