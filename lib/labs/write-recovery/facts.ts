/** A run's record as an operator finds it in evidence; the ground truth is not looked at. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import { DEFAULT_CONTEXT, DEFAULT_RUN, operationId, type Slot } from './words.ts';

export type StoreState = 'sound' | 'damaged' | 'unreadable' | 'missing';

/** Whether a store may be read for facts at all. */
export function storeState(evidence: Evidence, store: string): StoreState {
  if (!evidence.files.some((file) => file.store === store && file.present)) return 'missing';
  const found = evidence.integrity.find((entry) => entry.store === store);
  if (!found || found.quickCheck === 'unreadable') return 'unreadable';
  return found.quickCheck === 'ok' && found.foreignKeys === 'ok' ? 'sound' : 'damaged';
}

export interface Subject {
  tenant: string;
  run: string;
}

/** The run that a step was about; null for a step about no run. */
export function subjectOf(record: StepRecord): Subject | null {
  if (!['run', 'lookup', 'compensate'].includes(record.command)) return null;
  const { context, run } = record.args;
  const tenant = isObject(context) ? context.tenant : DEFAULT_CONTEXT.tenant;
  const name = run ?? DEFAULT_RUN;
  return typeof tenant === 'string' && typeof name === 'string' ? { tenant, run: name } : null;
}

/** The run that the last step about any run was about. */
export function lastSubject(history: readonly StepRecord[]): Subject | null {
  return history.map(subjectOf).findLast((subject) => subject !== null) ?? null;
}

/** The operation's row, or undefined where nothing is recorded of it. */
export function operationRow(evidence: Evidence, { tenant, run }: Subject, slot: Slot): Row | undefined {
  const key = operationId(tenant, run, slot);
  return panel(evidence, 'operation').rows.find((row) => row.key === key);
}

/** The ticket that the service has under the operation's key, or under the id that the record names. */
export function ticketCells(evidence: Evidence, subject: Subject): JsonObject | null {
  const key = operationId(subject.tenant, subject.run, 'ticket');
  const receipt = panel(evidence, 'receipts').rows.find((row) => row.key === key);
  const id = receipt?.cells.ticket ?? operationRow(evidence, subject, 'ticket')?.cells.ticket;
  const row = panel(evidence, 'target').rows.find((candidate) => candidate.key === id);
  return row ? { id: row.key, ...row.cells } : null;
}
