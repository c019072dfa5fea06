import { DrillError } from '../core/errors.ts';
import type { ActionResult } from './model.ts';

/** What the dashboard's own store failed with where the disk or the directory gave out; null for anything else. */
function storeFailure(error: unknown): string | null {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (!/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(String(code))) return null;
  return `This could not be recorded: ${message}. Free some space or make the data directory writable, then do it again.`;
}

/**
 * Runs an operation for a server action: an expected refusal becomes a value, anything else a sentence without
 * internals, its cause in the log.
 */
export async function toResult<T extends object>(work: () => Promise<T>): Promise<ActionResult<T>> {
  try {
    return { ok: true, ...(await work()) };
  } catch (error) {
    if (error instanceof DrillError)
      return { ok: false, error: error.message, code: error.code, definite: error.definite };
    const failure = storeFailure(error);
    if (failure) return { ok: false, error: failure, code: 'unavailable', definite: false };
    console.error(error);
    return {
      ok: false,
      error: 'Something went wrong that this program does not know. The server log has the cause.',
      code: 'defect',
      definite: false,
    };
  }
}
