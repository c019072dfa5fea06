/** Replies: the same members for the same conclusion, whichever command came to it. */
import type { JsonObject } from '../../core/json.ts';
import { snapshot } from '../../sqlite/open.ts';
import type { Outcome } from '../child.ts';
import { type Classification, classify } from './classify.ts';
import { readFacts, type Work } from './store.ts';

/** A classification as a reply. A refusal is definite where the effect is known to be absent. */
export function conclusion(operation: string, found: Classification, more: JsonObject = {}): Outcome {
  const { exit, ...rest } = found;
  return {
    exit,
    reply: { operation, ...rest, ...(exit === 0 ? {} : { definite: found.effect === 'absent' }), ...more },
  };
}

/** What is recorded of an operation now, with nothing executed. */
export function recorded({ db, without }: Work, operation: string): Outcome {
  const facts = snapshot(db, () => readFacts(db, operation));
  return conclusion(operation, classify(facts, without));
}

/**
 * The answer of an executor whose decision came too late: what is recorded stays, and its exit code is the one
 * recorded (README.md, "Rules of run").
 *
 * @param changedTarget whether this process had changed the target by then, so that its call was not without effect
 */
export function superseded({ db, without }: Work, operation: string, changedTarget: boolean): Outcome {
  const facts = snapshot(db, () => readFacts(db, operation));
  const found = classify(facts, without);
  const more = { status: 'superseded', recorded: found.status };
  if (facts.ledger || !changedTarget) return conclusion(operation, found, more);
  // The record was deleted under our hands; what we did at the target is known to nobody else.
  const unsaid = { effect: 'unknown', retryable: false, decision: 'investigate', exit: 2 } as const;
  return conclusion(operation, { ...found, ...unsaid }, more);
}
