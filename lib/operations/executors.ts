/** Where this process takes its executors from: the pool of a server, else a fresh start each time. */
import { constants, setPriority } from 'node:os';
import { type Started, startExecutor } from '../executor/launch.ts';
import { Pool } from '../executor/pool.ts';

// A bundler may load this module several times in one process; all of them must draw from one pool.
const KEY = Symbol.for('recovery-drills.executors');
type Shared = typeof globalThis & { [KEY]?: Pool };

/** Keeps executors ready from now on; they are started in the background. */
export function keepExecutorsReady(): void {
  const holder = globalThis as Shared;
  holder[KEY] ??= new Pool();
  void holder[KEY].warm();
}

/** An executor for a lab's command: a ready one where this process keeps any. */
export async function readyExecutor(lab: string): Promise<Started> {
  const pool = (globalThis as Shared)[KEY];
  return pool ? pool.take(lab) : startExecutor(lab);
}

/**
 * An executor for a cell of a sweep: never one that waits for a person's click, and behind those for the processor.
 */
export async function startInBackground(lab: string): Promise<Started> {
  const started = await startExecutor(lab);
  try {
    setPriority(started.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or this system has no priorities to give.
  }
  return started;
}

/** Settles when as many executors wait as the pool holds; at once where this process keeps none. */
export async function poolIsFull(): Promise<void> {
  await (globalThis as Shared)[KEY]?.warm();
}

/** Ends the executors that wait. */
export async function dismissExecutors(): Promise<void> {
  const holder = globalThis as Shared;
  const pool = holder[KEY];
  delete holder[KEY];
  await pool?.close();
}
