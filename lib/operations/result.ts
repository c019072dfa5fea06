import { DrillError } from '../core/errors.ts';
import type { ActionResult } from './model.ts';

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
    console.error(error);
    return {
      ok: false,
      error: 'Something went wrong that this program does not know. The server log has the cause.',
      code: 'defect',
      definite: false,
    };
  }
}
