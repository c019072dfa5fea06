/** Temporary directories of the command line: gone when the work is, also where a signal ends the program. */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAllExecutors } from '../executor/launch.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const open = new Set<string>();

function remove(dir: string): void {
  open.delete(dir);
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
}

/** Also where the reader of a pipe has gone, and the program with it. */
function leaveNothing(): void {
  // An executor at work would make its directory anew.
  if (open.size > 0) endAllExecutors();
  for (const dir of open) remove(dir);
}

function endBy(signal: NodeJS.Signals): void {
  leaveNothing();
  process.exit(128 + constants.signals[signal]);
}

/**
 * Works in a temporary directory.
 *
 * @param kind a word in its name: `run`, `sweep`, `replay`
 * @returns what the work returns; the directory is gone then, and also where it throws
 */
export async function inScratch<T>(kind: string, work: (dir: string) => Promise<T>): Promise<T> {
  // First, since a signal between the two would find the directory and nobody who removes it.
  if (open.size === 0) {
    for (const signal of SIGNALS) process.on(signal, endBy);
    process.on('exit', leaveNothing);
  }
  let dir: string | undefined;
  try {
    dir = mkdtempSync(join(tmpdir(), `drill-${kind}-`));
    open.add(dir);
    return await work(dir);
  } finally {
    if (dir) remove(dir);
    if (open.size === 0) {
      for (const signal of SIGNALS) process.off(signal, endBy);
      process.off('exit', leaveNothing);
    }
  }
}
