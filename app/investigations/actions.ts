'use server';

import { refresh } from 'next/cache';
import { z } from 'zod';
import { ownInvestigation } from '#lib/operations/list-investigations.ts';
import { toResult } from '#lib/operations/result.ts';

const input = z.object({
  run: z.string().min(1).max(64),
  operation: z.string().min(1).max(400),
  owner: z.string().max(80),
});

/** Records who looks into an operation; an entry that is closed by now stays as it is. */
export async function takeOver(form: FormData): Promise<void> {
  const found = input.safeParse(Object.fromEntries(form));
  if (!found.success) return;
  const { run, operation, owner } = found.data;
  await toResult(async () => {
    await ownInvestigation(run, operation, owner);
    return {};
  });
  refresh();
}
