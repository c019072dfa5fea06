/** What this process knows beyond the store: runs at work, executors held, records that could not be written. */
import { join } from 'node:path';
import { dataDirectory } from '#db/open.ts';
import type { RunSession } from '../drill/engine.ts';
import type { StepRecord } from '../drill/model.ts';
import { Slots } from './slots.ts';

interface Live {
  /** Sessions that work or hold executors, by run. */
  sessions: Map<string, RunSession>;
  /** The last piece of work of each run, so that the next waits for it. */
  lines: Map<string, Promise<unknown>>;
  /** Runs whose step waits for a place. */
  waiting: Set<string>;
  /** Records that the disk did not take, by run. */
  unsaved: Map<string, { seq: number; record: StepRecord }>;
  slots: Slots;
  /** This process is about to end: no step begins, and what it ends is not recorded as a result. */
  ending: boolean;
}

// A bundler may load this module several times in one process; all of them must see the same runs at work.
const KEY = Symbol.for('recovery-drills.live');
type Shared = typeof globalThis & { [KEY]?: Live };

export function live(): Live {
  const holder = globalThis as Shared;
  holder[KEY] ??= {
    sessions: new Map(),
    lines: new Map(),
    waiting: new Set(),
    unsaved: new Map(),
    slots: new Slots(),
    ending: false,
  };
  return holder[KEY];
}

/** Key of a run in this process: two data directories may be open at once, in tests and in tools. */
export function liveKey(run: string): string {
  return join(dataDirectory(), run);
}

/** Does work on a run after whatever is under way on it. The run is locked, not the server. */
export async function inLine<T>(run: string, work: () => Promise<T>): Promise<T> {
  const { lines } = live();
  const key = liveKey(run);
  const before = lines.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  lines.set(key, mine);
  try {
    return await mine;
  } finally {
    if (lines.get(key) === mine) lines.delete(key);
  }
}

/**
 * Ends every executor of this process, for the end of the process. Steps at work get no record here: the next start
 * finds them interrupted, which is what they are.
 */
export async function endAllSessions(): Promise<void> {
  live().ending = true;
  const sessions = [...live().sessions.values()];
  live().sessions.clear();
  await Promise.allSettled(sessions.map((session) => session.dispose()));
}

/** Ends the executors that a run holds in this process. */
export async function endSession(run: string): Promise<void> {
  const session = live().sessions.get(liveKey(run));
  live().sessions.delete(liveKey(run));
  await session?.dispose();
}
