'use server';

import { refresh } from 'next/cache';
import { z } from 'zod';
import { deleteRun } from '#lib/operations/delete-run.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { toResult } from '#lib/operations/result.ts';

/**
 * Deletes a run with its databases.
 *
 * @param stay whether the page that asks stays open, and so has to be shown anew
 */
export async function removeRun(run: string, stay: boolean): Promise<ActionResult> {
  const input = z.string().min(1).max(64).safeParse(run);
  if (!input.success) return { ok: false, error: 'This is no run.', code: 'usage', definite: true };
  const result = await toResult(async () => {
    await deleteRun(input.data);
    return {};
  });
  if (stay) refresh();
  return result;
}
