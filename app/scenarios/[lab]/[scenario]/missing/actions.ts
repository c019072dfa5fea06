'use server';

import { redirect } from 'next/navigation';
import { z } from 'zod';
import type { ActionResult } from '#lib/operations/model.ts';
import { toResult } from '#lib/operations/result.ts';
import { runWithout } from '#lib/operations/run-without.ts';

const input = z.object({
  scenario: z.string().regex(/^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/),
  without: z.array(z.string().min(1).max(80)).max(20),
  said: z.string().min(1).max(100),
});

/** Runs the scenario as it is and with the rules off, and sets the two side by side with what was expected. */
export async function tryWithout(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const asked = input.safeParse({ ...Object.fromEntries(form), without: form.getAll('without') });
  if (!asked.success) {
    const error = 'Choose at least one rule, and say which invariant you expect to break.';
    return { ok: false, error, code: 'usage', definite: true };
  }
  const { scenario, without, said } = asked.data;
  const result = await toResult(() => runWithout(scenario, without, said));
  if (!result.ok) return result;
  const query = new URLSearchParams({ sound: result.sound, weak: result.weak, said });
  redirect(`/scenarios/${scenario}/missing?${query}`);
}
