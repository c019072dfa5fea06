'use server';

import { z } from 'zod';
import type { Fault } from '#lib/drill/scenario.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { keepScenario } from '#lib/operations/own-scenarios.ts';
import { checkScenario } from '#lib/operations/propose-scenario.ts';
import { toResult } from '#lib/operations/result.ts';

// How long a scenario's text may be is said where it is parsed.
const source = z.string();

const NO_TEXT: ActionResult<never> = {
  ok: false,
  error: 'A scenario is a text. Nothing was kept.',
  code: 'malformed',
  definite: true,
};

/** The faults of the text as it stands, with line and column; keeps nothing. */
export async function validate(yaml: string): Promise<ActionResult<{ faults: Fault[] }>> {
  const input = source.safeParse(yaml);
  if (!input.success) return NO_TEXT;
  return toResult(async () => ({ faults: checkScenario(input.data) }));
}

/** Keeps the scenario under the data directory. */
export async function keep(yaml: string, replace: boolean): Promise<ActionResult<{ id: string }>> {
  const input = source.safeParse(yaml);
  if (!input.success) return NO_TEXT;
  return toResult(async () => ({ id: keepScenario(input.data, replace === true) }));
}
