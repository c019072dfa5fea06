'use server';

import { redirect } from 'next/navigation';
import { z } from 'zod';
import { branchRun } from '#lib/operations/branch-run.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { replayRun } from '#lib/operations/replay-run.ts';
import { toResult } from '#lib/operations/result.ts';
import { settingsOf } from './search-params.ts';

const id = z.string().min(1).max(64);
const name = z.string().min(1).max(200);
const branchInput = z.object({
  run: id,
  label: name,
  retry: z.enum(['none', 'same', 'fresh']),
  without: z.array(name).max(50),
});

const BAD_INPUT: ActionResult<never> = {
  ok: false,
  error: 'The page that sent this request is out of date. Nothing was started; load it again.',
  code: 'usage',
  definite: true,
};

/**
 * Branches from a step and opens the branch.
 *
 * @param form `run`, `label`, `retry`, and a `without` for each safeguard that is to be off
 */
export async function branch(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = branchInput.safeParse({ ...Object.fromEntries(form), without: form.getAll('without') });
  if (!input.success) return BAD_INPUT;
  const result = await toResult(() => branchRun(input.data));
  if (!result.ok) return result;
  redirect(`/runs/${result.run}${settingsOf(form)}`);
}

/** Runs an imported case's scenario again and sets the two side by side. */
export async function replay(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = id.safeParse(form.get('run'));
  if (!input.success) return BAD_INPUT;
  const result = await toResult(() => replayRun(input.data));
  if (!result.ok) return result;
  redirect(`/runs/${input.data}`);
}
