/** Temporary directories of the command line: gone when the work is, also where a signal ends the program. */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const open = new Set<string>();

function remove(dir: string): void {
  open.delete(dir);
  // An executor that is still at work, about to die with this program, may write while the directory goes.
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
}

function endBy(signal: NodeJS.Signals): void {
  for (const dir of open) remove(dir);
  process.exit(128 + constants.signals[signal]);
}

/**
 * Works in a temporary directory.
 *
 * @param kind a word in its name: `run`, `sweep`, `replay`
 * @returns what the work returns; the directory is gone then, and also where it throws
 */
export async function inScratch<T>(kind: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), `drill-${kind}-`));
  if (open.size === 0) for (const signal of SIGNALS) process.on(signal, endBy);
  open.add(dir);
  try {
    return await work(dir);
  } finally {
    remove(dir);
    if (open.size === 0) for (const signal of SIGNALS) process.off(signal, endBy);
  }
}
