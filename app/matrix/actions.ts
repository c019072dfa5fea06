'use server';

import { refresh } from 'next/cache';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { cancelSweep } from '#lib/operations/cancel-sweep.ts';
import { deleteSweep } from '#lib/operations/delete-sweep.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { openCell } from '#lib/operations/open-cell.ts';
import { toResult } from '#lib/operations/result.ts';
import { startSweep } from '#lib/operations/start-sweep.ts';
import { matrixQuery, NEWEST } from './search-params.ts';

const word = z.string().min(1).max(100);
const startInput = z.object({
  kind: z.enum(['matrix', 'safeguards']),
  lab: word,
  depth: z.coerce.number().int().min(1).max(3),
  without: z.array(word).max(50),
});
const cellInput = z.object({ sweep: word, cell: z.string().min(1).max(1000) });

const BAD_INPUT: ActionResult<never> = {
  ok: false,
  error: 'The page that sent this request is out of date. Nothing was started; load it again.',
  code: 'usage',
  definite: true,
};

/** Begins a sweep and shows it. The form: `kind`, `lab`, `depth`, and `without` once for each rule switched off. */
export async function beginSweep(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = startInput.safeParse({ ...Object.fromEntries(form), without: form.getAll('without') });
  if (!input.success) return BAD_INPUT;
  const result = await toResult(() => startSweep(input.data));
  if (!result.ok) return result;
  const page = input.data.kind === 'matrix' ? 'matrix' : 'safeguards';
  redirect(`/${page}/${input.data.lab}${matrixQuery({ ...NEWEST, sweep: result.sweep })}`);
}

/** Ends a sweep; its recorded cells stay. */
export async function endSweep(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = word.safeParse(form.get('sweep'));
  if (!input.success) return BAD_INPUT;
  const result = await toResult(async () => {
    await cancelSweep(input.data);
    return {};
  });
  refresh();
  return result;
}

/**
 * Deletes a sweep with its cells.
 *
 * @param stay whether the page that asks stays open, and so has to be shown anew
 */
export async function removeSweep(sweep: string, stay: boolean): Promise<ActionResult> {
  const input = word.safeParse(sweep);
  if (!input.success) return BAD_INPUT;
  const result = await toResult(async () => {
    await deleteSweep(input.data);
    return {};
  });
  if (stay) refresh();
  return result;
}

/** Opens a cell as a run of its own, run to its end. */
export async function runCell(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = cellInput.safeParse(Object.fromEntries(form));
  if (!input.success) return BAD_INPUT;
  const result = await toResult(() => openCell(input.data.sweep, input.data.cell));
  if (!result.ok) return result;
  redirect(`/runs/${result.run}`);
}
