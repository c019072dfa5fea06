/** The facts of an operation as an operator finds them in evidence; the ground truth is not looked at. */
import { isObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel } from '../../evidence/model.ts';
import { type StoreState, storeState } from '../kit/judging.ts';
import type { Facts, LedgerFact, ReceiptFact } from './classify.ts';
import { CONCLUSIONS, PROPERTY, STORE, TARGET } from './words.ts';

/** Whether evidence of this lab may be read for facts at all. */
export const databaseState = (evidence: Evidence): StoreState => storeState(evidence, STORE);

/** Decisions of an operation, oldest first. */
export function decisionsOf(evidence: Evidence, operation: string): Facts['decided'][] {
  return panel(evidence, 'events')
    .rows.filter(({ key, cells }) => key.startsWith('decision/') && cells.operation === operation)
    .map(({ cells }) => CONCLUSIONS.find((one) => cells.kind === `decided-${one}`) ?? null);
}

/** @returns null where the evidence has no target, so that nothing can be said of the operation */
export function factsOf(evidence: Evidence, operation: string): Facts | null {
  const cells = (id: 'operation' | 'target' | 'receipts', key: string) =>
    panel(evidence, id).rows.find((row) => row.key === key)?.cells;
  const target = cells('target', TARGET);
  if (!target) return null;
  const ledger = cells('operation', operation);
  const receipt = cells('receipts', operation);
  return {
    ledger: ledger ? ({ operation, ...ledger } as unknown as LedgerFact) : null,
    receipt: receipt ? (receipt as unknown as ReceiptFact) : null,
    target: { version: Number(target.version), value: target[PROPERTY] === true },
    decided: decisionsOf(evidence, operation).at(-1) ?? null,
  };
}

/** The operation that a step was about, from its arguments or its replies. */
export function operationOf(record: StepRecord): string | null {
  const { proposal, operation } = record.args;
  if (isObject(proposal) && typeof proposal.operation === 'string') return proposal.operation;
  if (typeof operation === 'string') return operation;
  const replied = record.executors.map((executor) => executor.reply?.operation);
  return (replied.find((value) => typeof value === 'string') as string | undefined) ?? null;
}

/** Kind of the last event of an operation, or null. */
export function lastEvent(evidence: Evidence, operation: string): string | null {
  const row = panel(evidence, 'events').rows.findLast(
    ({ key, cells }) => !key.startsWith('decision/') && cells.operation === operation,
  );
  return typeof row?.cells.kind === 'string' ? row.cells.kind : null;
}
