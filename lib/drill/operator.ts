/** The correct operator of a lab, who decides from evidence and has no ground truth. */
import type { Lab, NextAction } from '../labs/contract.ts';
import type { StepRecord } from './model.ts';
import { savedValues } from './resolve.ts';

function seen(record: StepRecord): StepRecord {
  return record.evidence ? { ...record, evidence: { ...record.evidence, truth: [] } } : record;
}

/**
 * What a correct operator does after these steps.
 *
 * @returns null where nothing is left to do, or nothing was seen yet
 */
export function nextAction(lab: Lab, history: readonly StepRecord[]): NextAction | null {
  const visible = history.map(seen);
  const last = visible.findLast((record) => record.evidence !== null);
  if (!last?.evidence) return null;
  return lab.next(last.evidence, history.at(-1)?.now ?? 0, savedValues(history), visible);
}
