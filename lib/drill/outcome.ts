/** What a run as a whole came to: the one source for lists, pages, bundles and the cells of a sweep. */
import type { Decision } from '../evidence/model.ts';
import type { Assessment, Lab } from '../labs/contract.ts';
import type { StepRecord } from './model.ts';

/** How an operator reads the last step that left evidence; null before there is any. */
export function assessmentOf(lab: Lab, records: readonly StepRecord[]): Assessment | null {
  const last = records.findLastIndex((record) => record.evidence !== null);
  return last === -1 ? null : lab.assess(records.slice(0, last + 1));
}

/**
 * What the run as a whole came to: the last decision that asked for something. After a reconciliation nothing is
 * left to decide, and the run is still the one that was to be reconciled.
 */
export function decisionOf(lab: Lab, records: readonly StepRecord[]): Decision | null {
  const seen = records.flatMap((record, index) =>
    record.evidence === null ? [] : [lab.assess(records.slice(0, index + 1)).decision],
  );
  return seen.findLast((decision) => decision !== 'none') ?? seen.at(-1) ?? null;
}
