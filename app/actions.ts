'use server';

import { refresh } from 'next/cache';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import type { ActionResult } from '#lib/operations/model.ts';
import { removeScenario } from '#lib/operations/own-scenarios.ts';
import { toResult } from '#lib/operations/result.ts';
import { runPair } from '#lib/operations/teaching-pairs.ts';
import { compareQuery } from './compare/search-params.ts';

const name = z.string().min(1).max(100);

const BAD_INPUT: ActionResult<never> = {
  ok: false,
  error: 'The page that sent this request is out of date. Load it again.',
  code: 'usage',
  definite: true,
};

/** Runs what is missing of a pair that teaches, and sets its runs side by side. */
export async function comparePair(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = name.safeParse(form.get('pair'));
  if (!input.success) return BAD_INPUT;
  const result = await toResult(() => runPair(input.data));
  if (!result.ok) return result;
  redirect(`/compare${compareQuery({ runs: result.runs, step: result.step })}`);
}

/** Removes a scenario of one's own. */
export async function removeOwn(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = name.safeParse(form.get('id'));
  if (!input.success) return BAD_INPUT;
  const result = await toResult(async () => {
    removeScenario(input.data);
    return {};
  });
  refresh();
  return result;
}
