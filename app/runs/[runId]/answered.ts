'use client';

import { unstable_rethrow } from 'next/navigation';
import type { ActionResult } from '#lib/operations/model.ts';

/** Said to the whole page: whoever looks at the store looks again until the server is back. */
export const GONE = 'drill:server-gone';

/** The code of an answer that never came; the page says it once, for whichever form was waiting. */
export const NO_ANSWER = 'no-answer';

/** Whether the server is there, asked for a file that costs it nothing. */
export async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch('/scenario.schema.json', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/**
 * Waits for an action. One that got no answer since its server is gone is a result like any other: thrown, it would
 * put an error in the place of the run. What it was to do may have been done, or not; the store will say.
 *
 * @throws what was thrown while the server is there
 */
export async function answered<T extends object>(call: Promise<ActionResult<T>>): Promise<ActionResult<T>> {
  try {
    return await call;
  } catch (error) {
    unstable_rethrow(error);
    const unreachable = error instanceof TypeError;
    if (!unreachable && (await serverAnswers())) throw error;
    window.dispatchEvent(new Event(GONE));
    return { ok: false, error: '', code: NO_ANSWER, definite: false };
  }
}
