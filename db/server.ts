/** Statements on the table `server`: who serves this data directory. */
import type { Db } from '#lib/sqlite/open.ts';
import { statement } from './statement.ts';

export interface ServerRow {
  pid: number;
  start_time: string;
  boot: string;
}

export function currentServer(db: Db): ServerRow | undefined {
  return statement(db, 'SELECT pid, start_time, boot FROM server').get() as ServerRow | undefined;
}

export function replaceServer(db: Db, server: ServerRow): void {
  statement(
    db,
    'INSERT OR REPLACE INTO server (one, pid, start_time, boot) VALUES (1, @pid, @start_time, @boot)',
  ).run(server);
}

export function removeServer(db: Db, server: ServerRow): void {
  statement(db, 'DELETE FROM server WHERE pid = @pid AND start_time = @start_time AND boot = @boot').run(
    server,
  );
}
