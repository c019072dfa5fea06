'use server';

import { refresh } from 'next/cache';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import type { JsonObject } from '#lib/core/json.ts';
import { type AddStep, addStep } from '#lib/operations/add-step.ts';
import { advanceRun } from '#lib/operations/advance-run.ts';
import { getRun } from '#lib/operations/get-run.ts';
import type { ActionResult, RunView } from '#lib/operations/model.ts';
import { predict } from '#lib/operations/predict.ts';
import { resetRun } from '#lib/operations/reset-run.ts';
import { toResult } from '#lib/operations/result.ts';
import { goesOn } from '#lib/operations/run-to-end.ts';
import { QUESTIONS_COOKIE } from '../../_ui/preferences.ts';
import { openQuestion } from './open-question.ts';
import { settingsOf } from './search-params.ts';

const runId = z.string().min(1).max(64);
const seq = z.coerce.number().int().positive().max(100_000);
const json = z.json();

const advanceInput = z.object({
  run: runId,
  seq,
  mode: z.enum(['one', 'all']),
  asking: z.literal('on').optional(),
});
const answerInput = z.object({ run: runId, seq, value: json });
const stepInput = z.object({ run: runId, seq, step: z.record(z.string(), json) });

const BAD_INPUT: ActionResult<never> = {
  ok: false,
  error: 'The page that sent this request is out of date. Nothing was started; load it again.',
  code: 'usage',
  definite: true,
};

export type Advanced = ActionResult<{ run: string; nextSeq: number; goOn: boolean }>;

/**
 * Runs the step that the page expects. A repeated call starts nothing.
 *
 * @param form `run`, `seq`, and `mode`: `all` asks the page to go on from `nextSeq`; with `asking` only as far as the
 *   next question
 */
export async function advance(_before: Advanced | null, form: FormData): Promise<Advanced> {
  const input = advanceInput.safeParse(Object.fromEntries(form));
  if (!input.success) return BAD_INPUT;
  const { run, seq: expected, mode, asking } = input.data;
  const asks = (view: RunView) => asking === 'on' && openQuestion(view) !== null;
  const result = await toResult(async () => {
    if (mode === 'all' && asks(await getRun(run))) return { run, nextSeq: expected, goOn: false };
    const { view } = await advanceRun({ run, seq: expected });
    return { run, nextSeq: view.nextSeq, goOn: mode === 'all' && goesOn(view) && !asks(view) };
  });
  refresh();
  return result;
}

/** Locks an answer, then runs the step that it was given for. */
export async function answerAndRun(run: string, expected: number, value: unknown): Promise<ActionResult> {
  const input = answerInput.safeParse({ run, seq: expected, value });
  if (!input.success) return BAD_INPUT;
  const result = await toResult(async () => {
    await predict(input.data);
    await advanceRun({ run: input.data.run, seq: input.data.seq });
    return {};
  });
  refresh();
  return result;
}

/** Asks again. */
export async function askAgain(): Promise<void> {
  (await cookies()).delete(QUESTIONS_COOKIE);
}

/**
 * Stops asking for as long as this browser's session lasts. The run keeps that its question was skipped.
 *
 * @param form `run` and `seq` of the question
 */
export async function skipQuestions(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = answerInput.safeParse({ ...Object.fromEntries(form), value: null });
  if (!input.success) return BAD_INPUT;
  const result = await toResult(async () => {
    await predict(input.data);
    return {};
  });
  if (result.ok) (await cookies()).set(QUESTIONS_COOKIE, 'off', { sameSite: 'lax', path: '/' });
  refresh();
  return result;
}

/** Free play: runs a step of the person's own. */
export async function playStep(run: string, expected: number, step: JsonObject): Promise<ActionResult> {
  const input = stepInput.safeParse({ run, seq: expected, step });
  if (!input.success) return BAD_INPUT;
  const result = await toResult(async () => {
    await addStep({ ...input.data, step: input.data.step as unknown as AddStep['step'] });
    return {};
  });
  refresh();
  return result;
}

/** A new run of the same scenario with the same safeguards off; the old one stays. */
export async function reset(_before: ActionResult | null, form: FormData): Promise<ActionResult> {
  const input = runId.safeParse(form.get('run'));
  if (!input.success) return BAD_INPUT;
  const result = await toResult(() => resetRun(input.data));
  if (!result.ok) return result;
  redirect(`/runs/${result.run}${settingsOf(form)}`);
}
