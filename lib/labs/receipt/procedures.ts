/** What the crash matrix tries, and what a correct operator does afterwards. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { StepRecord, StepSpec } from '../../drill/model.ts';
import { type Evidence, panel } from '../../evidence/model.ts';
import type { NextAction, Procedure } from '../contract.ts';
import { classify } from './classify.ts';
import { databaseState, factsOf, lastEvent } from './facts.ts';
import { OPERATION } from './words.ts';

const submission: StepSpec[] = [
  { label: 'init', command: 'init' },
  { label: 'plan', command: 'plan', saves: 'proposal' },
  { label: 'run', command: 'run', args: { proposal: '$proposal', approve: true } },
];

export const procedures: Procedure[] = [
  { id: 'run', title: 'Run one approved change', steps: submission, may: [] },
  {
    id: 'run-and-drift',
    title: 'Run one approved change; then another actor changes the target',
    steps: [...submission, { label: 'drift', command: 'drift', args: { value: true } }],
    may: [],
  },
];

const REVIEWED = {
  conclusion: 'absent',
  looked: 'receipts and history',
  showed: 'neither names a change by this operation, and both are written with the change',
  by: 'operator',
};

/** The history is written in the target's own commit: a person may look there, recovery does not. */
const traceOfChange = (evidence: Evidence, operation: string): boolean =>
  panel(evidence, 'events').rows.some(
    ({ cells }) => cells.operation === operation && cells.kind === 'target-changed',
  );

/**
 * A correct operator's next action: classify what is pending, run again what is known to be absent, review
 * what is in doubt, leave everything else alone.
 *
 * @param saved the proposal is what the procedure's plan saved
 * @returns null where nothing more is to be done, or only a person may do it
 */
export function next(
  evidence: Evidence,
  clock: number,
  saved: JsonObject,
  _history: readonly StepRecord[],
): NextAction | null {
  const { proposal } = saved;
  if (!isObject(proposal) || databaseState(evidence) !== 'sound') return null;
  const operation = typeof proposal.operation === 'string' ? proposal.operation : OPERATION;
  const facts = factsOf(evidence, operation);
  if (!facts) return null;
  const submit = { command: 'run', args: { proposal, approve: true }, now: clock };
  // Nothing recorded: the same proposal under the same key is safe, and recovery would have nothing to write.
  if (!facts.ledger) return facts.receipt ? null : submit;
  const found = classify(facts, new Set());
  const { status } = facts.ledger;
  const again = { command: 'recover', args: { operation }, now: clock };
  if (status === 'uncertain') {
    if (found.status === 'reconciled') return again;
    if (found.effect === 'absent') return submit;
    return found.effect === 'unknown' && !facts.receipt && !traceOfChange(evidence, operation)
      ? { command: 'resolve', args: { operation, ...REVIEWED }, now: clock }
      : null;
  }
  if (status !== 'pending') return null;
  // A recovery has found the effect absent and nothing has moved since: the record and the target say so together.
  const absent = found.effect === 'absent' && lastEvent(evidence, operation) === 'found-absent';
  return absent ? submit : again;
}
