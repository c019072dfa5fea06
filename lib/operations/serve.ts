/** One server a data directory (docs/design.md, "A run survives the dashboard"). */
import { closeStore, dataDirectory, store } from '#db/open.ts';
import { currentServer, removeServer, replaceServer } from '#db/server.ts';
import { DrillError, EXIT } from '../core/errors.ts';
import { commit } from '../sqlite/open.ts';
import { dismissExecutors, keepExecutorsReady } from './executors.ts';
import { endAllSessions } from './live.ts';
import { isMe, me, ownerLives } from './owner.ts';
import { type Recovered, recoverStore } from './recover-store.ts';
import { resumeSweeps } from './resume-sweeps.ts';
import { pauseSweeps } from './sweep-job.ts';

const KEY = Symbol.for('recovery-drills.server');
type Shared = typeof globalThis & { [KEY]?: Promise<Recovered> };

/** Takes the data directory for this process. The write lock puts two that start at once in line. */
function claim(): void {
  const db = store();
  const own = me();
  commit(db, 'dashboard', 'server', {}, () => {
    const row = currentServer(db);
    const other = row && { pid: row.pid, start: row.start_time, boot: row.boot };
    if (other && !isMe(other) && ownerLives(other)) {
      throw new DrillError(
        'busy',
        `Another server (process ${other.pid}) already serves the data directory ${dataDirectory()}. Stop it, or set DRILL_DATA_DIR to another directory.`,
      );
    }
    replaceServer(db, { pid: own.pid, start_time: own.start, boot: own.boot });
  });
}

/**
 * Makes this process the server of the data directory and settles what dead owners left, once a process.
 *
 * @throws DrillError `busy` where another server lives, `unavailable` where the directory cannot be written
 */
export function becomeServer(): Promise<Recovered> {
  const holder = globalThis as Shared;
  holder[KEY] ??= (async () => {
    claim();
    const recovered = await recoverStore();
    keepExecutorsReady();
    resumeSweeps();
    return recovered;
  })();
  return holder[KEY];
}

/** For a server that Next starts by itself: a data directory that cannot be had ends the process with its sentence. */
export async function becomeServerOrEnd(): Promise<void> {
  try {
    await becomeServer();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(error instanceof DrillError ? error.exit : EXIT.defect);
  }
}

/** Ends what this server holds and gives the data directory free. */
export async function retire(): Promise<void> {
  const holder = globalThis as Shared;
  if (!holder[KEY]) return;
  delete holder[KEY];
  await pauseSweeps();
  await endAllSessions();
  await dismissExecutors();
  const own = me();
  removeServer(store(), { pid: own.pid, start_time: own.start, boot: own.boot });
  closeStore();
}
