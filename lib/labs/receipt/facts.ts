/** The facts of an operation as an operator finds them in evidence; the ground truth is not looked at. */
import { isObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel } from '../../evidence/model.ts';
import type { Facts, LedgerFact, ReceiptFact } from './classify.ts';
import { PROPERTY, STORE, TARGET } from './words.ts';

export type DatabaseState = 'sound' | 'damaged' | 'unreadable' | 'missing';

/** Whether evidence of this lab may be read for facts at all. */
export function databaseState(evidence: Evidence): DatabaseState {
  if (!evidence.files.some((file) => file.store === STORE && file.present)) return 'missing';
  const found = evidence.integrity.find((entry) => entry.store === STORE);
  if (!found || found.quickCheck === 'unreadable') return 'unreadable';
  return found.quickCheck === 'ok' && found.foreignKeys === 'ok' ? 'sound' : 'damaged';
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
  const row = panel(evidence, 'events').rows.findLast((candidate) => candidate.cells.operation === operation);
  return typeof row?.cells.kind === 'string' ? row.cells.kind : null;
}
