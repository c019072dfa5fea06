import type { Json } from '#lib/core/json.ts';
import type { Predict } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { show } from './step-facts.ts';

/** An answer to a question in the words of its option, or of the invariant that it names; a figure as it is. */
export function answerWords(predict: Predict, value: Json | undefined, lab: Lab, locale: string): string {
  const option = predict.options?.find((one) => JSON.stringify(one.value) === JSON.stringify(value));
  if (option) return option.text;
  const invariant = 'invariant' in predict.answer && lab.invariants.find((one) => one.id === value);
  return invariant ? invariant.says : show(value);
}
