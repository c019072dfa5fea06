/** Recovery: reads ledger, receipt and target, records what it concludes, never changes the target. */
import { commitOrLeave, snapshot } from '../../sqlite/open.ts';
import type { Outcome } from '../child.ts';
import { conclusion } from './answer.ts';
import { type Classification, classify } from './classify.ts';
import { addEvent, moveStatus, readFacts, type Work } from './store.ts';
import { STORE } from './words.ts';

const EVENT = { reconciled: 'reconciled', uncertain: 'marked-uncertain', pending: 'found-absent' } as const;

/**
 * Classifies a pending operation and records the conclusion in the same transaction: with the write lock in hand
 * nobody can move between the snapshot and the record of it.
 *
 * @param recordAbsent recovery records an absent effect as an event; a resubmission goes on and leaves that out
 * @returns what is true of the operation now, also where it is no longer pending
 */
export function settlePending(
  { db, without }: Work,
  operation: string,
  recordAbsent: boolean,
): Classification {
  const boundaries = { before: 'before-reconcile-commit', after: 'after-reconcile' };
  return commitOrLeave<Classification>(db, STORE, 'classification', boundaries, (leave) => {
    const facts = readFacts(db, operation);
    const found = classify(facts, without);
    if (facts.ledger?.status !== 'pending' || found.status === 'nothing-recorded') return leave(found);
    if (found.status === 'pending' && !recordAbsent) return leave(found);
    if (found.status !== 'pending' && !moveStatus(db, operation, 'pending', found.status))
      return leave(found);
    const { receipt, target } = facts;
    const proof = receipt ? `receipt of version ${receipt.version}` : 'no receipt';
    addEvent(
      db,
      operation,
      EVENT[found.status as keyof typeof EVENT],
      `${proof}, target at version ${target.version}`,
    );
    return found;
  });
}

/** `recover <operation>` (README.md, "What recovery concludes"). */
export function recover(work: Work, operation: string): Outcome {
  const facts = snapshot(work.db, () => readFacts(work.db, operation));
  // Without a pending record there is nothing to write, so no write lock is waited for.
  if (facts.ledger?.status !== 'pending') return conclusion(operation, classify(facts, work.without));
  return conclusion(operation, settlePending(work, operation, true));
}
