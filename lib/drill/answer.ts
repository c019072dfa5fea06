import { canonicalJson } from '../core/canonical.ts';
import type { Json } from '../core/json.ts';
import type { Predict } from './model.ts';

/** Why a question does not take an answer, in one sentence; null where it does. Skipping (null) is always taken. */
export function answerFault(question: Predict, value: Json): string | null {
  if (value === null) return null;
  if (question.kind === 'number') {
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    return isNumber ? null : 'The answer to this question is a number.';
  }
  const options = question.options ?? [];
  if (options.some((option) => canonicalJson(option.value) === canonicalJson(value))) return null;
  return 'The answer is none of the options of this question.';
}
