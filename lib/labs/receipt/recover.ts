/** Recovery: reads ledger, receipt and target, records what it concludes, never changes the target. */
import { commitOrLeave, snapshot } from '../../sqlite/open.ts';
import type { Outcome } from '../child.ts';
import { conclusion } from './answer.ts';
import { type Classification, classify } from './classify.ts';
import { addEvent, moveStatus, readFacts, type Work } from './store.ts';
import { STORE } from './words.ts';

const EVENT = { reconciled: 'reconciled', uncertain: 'marked-uncertain', pending: 'found-absent' } as const;

/**
 * Classifies an operation that is pending, or in doubt, and records the conclusion in the same transaction: with the write lock in hand
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
    const from = facts.ledger?.status;
    if (!from || found.status === 'nothing-recorded') return leave(found);
    // Of what is recorded as final, only doubt can end, by the operation's own receipt.
    if (from !== 'pending' && !(from === 'uncertain' && found.status === 'reconciled')) return leave(found);
    if (found.status === 'pending' && !recordAbsent) return leave(found);
    if (found.status !== 'pending' && !moveStatus(db, operation, from, found.status)) return leave(found);
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
  const found = classify(facts, work.without);
  // Where recovery has nothing to write, no write lock is waited for.
  if (facts.ledger?.status !== 'pending' && found.status === (facts.ledger?.status ?? 'nothing-recorded'))
    return conclusion(operation, found);
  return conclusion(operation, settlePending(work, operation, true));
}
