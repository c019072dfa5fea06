'use server';

import { z } from 'zod';
import type { Fault } from '#lib/drill/scenario.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { keepScenario } from '#lib/operations/own-scenarios.ts';
import { checkScenario } from '#lib/operations/propose-scenario.ts';
import { toResult } from '#lib/operations/result.ts';

const source = z.string().max(512 * 1024);
const MOST = 20;

const TOO_LONG: ActionResult<never> = {
  ok: false,
  error: 'This text is longer than a scenario can be. Nothing was kept.',
  code: 'malformed',
  definite: true,
};

/** Every fault of the text as it stands, with line and column; keeps nothing. */
export async function validate(yaml: string): Promise<ActionResult<{ faults: Fault[] }>> {
  const input = source.safeParse(yaml);
  if (!input.success) return TOO_LONG;
  return toResult(async () => ({ faults: checkScenario(input.data).slice(0, MOST) }));
}

/** Keeps the scenario under the data directory. */
export async function keep(yaml: string, replace: boolean): Promise<ActionResult<{ id: string }>> {
  const input = source.safeParse(yaml);
  if (!input.success) return TOO_LONG;
  return toResult(async () => ({ id: keepScenario(input.data, replace === true) }));
}
