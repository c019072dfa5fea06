/** `resolve`: a person's reviewed decision about what the evidence leaves unknown (README.md, "Reviewed decisions"). */
import type { JsonObject } from '../../core/json.ts';
import { commitOrLeave } from '../../sqlite/open.ts';
import type { Outcome } from '../child.ts';
import { refusal } from '../kit/child.ts';
import { conclusion } from './answer.ts';
import { classify, type Facts } from './classify.ts';
import { readFacts, type Work } from './store.ts';
import { type Conclusion, STORE } from './words.ts';

/** What contradicts the decision in evidence that the lab can read; null where nothing does. */
function contradiction(facts: Facts, wanted: Conclusion): [status: string, message: string] | null {
  const { ledger, receipt, target, decided } = facts;
  if (!ledger && !receipt) return ['nothing-recorded', 'There is no record of this operation.'];
  if (ledger?.status === 'pending')
    return ['still-pending', 'The record is pending: an earlier attempt may still act. Run recover first.'];
  const found = classify({ ...facts, decided: null }, new Set());
  if (found.effect !== 'unknown')
    return ['settled', `The evidence decides already: the effect is ${found.effect}. Run recover.`];
  if (decided && decided !== 'absent') return ['decided', `It was decided already: ${decided}.`];
  if (decided === wanted) return ['decided', `It was decided already: ${decided}. Run it again.`];
  if (wanted === 'confirmed' && ledger && target.version === ledger.expectedVersion)
    return ['contradicted', `The target is still at version ${target.version}: nothing changed it.`];
  if (wanted === 'absent' && receipt)
    return ['contradicted', 'A receipt of this operation exists, so its effect cannot be called absent.'];
  return null;
}

/**
 * Records a decision in a commit of its own; no earlier row is changed.
 *
 * @returns the classification that follows, or a definite refusal where evidence contradicts the decision
 */
export function resolve(work: Work, operation: string, args: JsonObject): Outcome {
  const wanted = args.conclusion as Conclusion;
  if (wanted === 'confirmed' && !args.reference)
    return refusal('no-reference', 'A confirmed effect needs a reference by which others find it.', {
      operation,
    });
  const boundaries = { before: 'before-decision-commit', after: 'after-decision' };
  return commitOrLeave<Outcome>(work.db, STORE, 'decision', boundaries, (leave) => {
    const facts = readFacts(work.db, operation);
    const refused = contradiction(facts, wanted);
    if (refused) return leave(refusal(refused[0], refused[1], { operation }));
    work.db
      .prepare(
        `INSERT INTO decisions (operation, conclusion, reference, looked, showed, decided_by)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(operation, wanted, args.reference ?? null, args.looked, args.showed, args.by);
    return conclusion(operation, classify({ ...facts, decided: wanted }, work.without), { decided: wanted });
  });
}
