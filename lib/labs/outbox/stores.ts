/** The three files of the lab, and a commit that may decide to write nothing. */
import { join } from 'node:path';
import { type CommitOptions, commitOrLeave, type Db, openDatabase, openReadOnly } from '../../sqlite/open.ts';

export const STORES = [
  {
    id: 'sender',
    file: 'sender.sqlite',
    tables: ['requests', 'outbox', 'events', 'late', 'decisions'],
    holders: ['outbox.holder'],
    panels: ['operation', 'events'],
  },
  {
    id: 'receiver',
    file: 'receiver.sqlite',
    tables: ['tickets', 'receipts', 'events', 'ground_truth'],
    panels: ['target', 'receipts', 'events'],
  },
  {
    id: 'external',
    file: 'external.sqlite',
    tables: ['tickets', 'events', 'ground_truth'],
    panels: ['target', 'events'],
  },
] as const;
export type StoreId = (typeof STORES)[number]['id'];

/** Where a store lies inside a run's directory. */
export function fileOf(dir: string, store: StoreId): string {
  return join(dir, `${store}.sqlite`);
}

const tablesOf = (store: StoreId): readonly string[] => STORES.find(({ id }) => id === store)?.tables ?? [];

/** @throws DrillError `no-database`, `not-a-database` as `openDatabase` */
export function openStore(dir: string, store: StoreId): Db {
  return openDatabase(fileOf(dir, store), tablesOf(store));
}

/** @throws DrillError as `openStore`; the file stays as it was */
export function readStore(dir: string, store: StoreId): Db {
  return openReadOnly(fileOf(dir, store), tablesOf(store));
}

/** What a serialized decision came to, and whether it wrote anything that has to be committed. */
export interface Decided<T> {
  wrote: boolean;
  value: T;
}

/**
 * One serialized transaction that decides and then writes, or decides and leaves everything as it is: then it is
 * rolled back and leaves no commit in the trace, so that "nothing was changed" stays true.
 *
 * @throws DrillError as `commit`
 */
export function decide<T>(
  db: Db,
  store: StoreId,
  name: string,
  options: CommitOptions,
  work: () => Decided<T>,
): T {
  return commitOrLeave<T>(db, store, name, options, (leave) => {
    const { wrote, value } = work();
    return wrote ? value : leave(value);
  });
}
