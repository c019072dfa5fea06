'use server';

import { redirect } from 'next/navigation';
import { z } from 'zod';
import type { ActionResult } from '#lib/operations/model.ts';
import { toResult } from '#lib/operations/result.ts';
import { startRun } from '#lib/operations/start-run.ts';
import { settingsOf } from '../../../runs/[runId]/search-params.ts';

const input = z.union([
  z.object({ scenario: z.string().min(1).max(200) }),
  z.object({ lab: z.string().min(1).max(100), without: z.array(z.string().min(1).max(200)).max(50) }),
]);

/**
 * Begins a run of a scenario, or free play in a lab, and opens it.
 *
 * @param form `scenario`; or `lab`, with a `without` for each rule that is to be off
 */
export async function start(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const name = form.has('scenario') ? 'scenario' : 'lab';
  const asked = input.safeParse({ [name]: form.get(name), without: form.getAll('without') });
  if (!asked.success) {
    return { ok: false, error: 'Name a scenario or a lab.', code: 'usage', definite: true };
  }
  const result = await toResult(() => startRun(asked.data));
  if (!result.ok) return result;
  redirect(`/runs/${result.run}${settingsOf(form)}`);
}
