/** What an executor answers where its command threw. */
import { commitCount } from '../boundary/boundary.ts';
import { DrillError, EXIT } from '../core/errors.ts';
import type { Outcome } from '../labs/child.ts';

/** What a damaged or full store throws wherever it is met, in the project's own sentence. */
async function translated(error: unknown): Promise<unknown> {
  try {
    return (await import('../sqlite/open.ts')).translate(error);
  } catch {
    return error;
  }
}

/** What the operating system answers where a disk is full or nothing more can be opened. */
const MACHINE = ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO'];

function ofMachine(error: unknown): unknown {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === undefined || !MACHINE.includes(code)) return error;
  return new DrillError('unavailable', `This machine could not go on: ${message}.`, { definite: false });
}

/**
 * The outcome of a command that threw: a refusal in one sentence, else a defect with its stack in the log.
 *
 * @returns `definite: false` once this process has committed anything (docs/protocol.md)
 */
export async function failure(thrown: unknown): Promise<Outcome> {
  const error = ofMachine(await translated(thrown));
  if (error instanceof DrillError) {
    const { code, message, exit } = error;
    // Whoever throws may not know what an earlier transaction of the same call has committed.
    const definite = error.definite && commitCount() === 0;
    return { exit, reply: { status: 'refused', error: code, message, definite } };
  }
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof Error ? error.stack : message}\n`);
  return { exit: EXIT.defect, reply: { status: 'defect', error: 'defect', message, definite: false } };
}
