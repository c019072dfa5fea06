/** Evidence read back into the lab's own terms, for judging and for assessment. */
import type { Json } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import { CLIENT, DOCUMENT, SERVICE } from './words.ts';

export const operationsOf = (evidence: Evidence): Row[] =>
  panel(evidence, 'operation').rows.filter((row) => row.cells.kind === 'operation');

export const ticketsOf = (evidence: Evidence): Row[] =>
  panel(evidence, 'target').rows.filter((row) => row.key.startsWith('ticket '));

export const updatesOf = (evidence: Evidence): Row[] =>
  panel(evidence, 'receipts').rows.filter((row) => row.cells.kind === 'update');

export const documentOf = (evidence: Evidence): Row | undefined =>
  panel(evidence, 'target').rows.find((row) => row.key === DOCUMENT);

export const messagesOf = (evidence: Evidence): Row[] => panel(evidence, 'events').rows;

/** The uncertain set, and what is still in flight by the record. */
export const openOf = (evidence: Evidence): Row[] =>
  operationsOf(evidence).filter(
    (row) => row.cells.status === 'in-flight' || row.cells.status === 'uncertain',
  );

const sound = (evidence: Evidence, store: string): boolean =>
  evidence.integrity.some(
    (one) => one.store === store && one.quickCheck === 'ok' && one.foreignKeys === 'ok',
  );

export const serviceSound = (evidence: Evidence): boolean => sound(evidence, SERVICE.id);
export const clientSound = (evidence: Evidence): boolean => sound(evidence, CLIENT.id);

/** True where that file was there after an earlier step and is needed now. */
export function wasThere(history: readonly StepRecord[], store: string): boolean {
  return history.some((record) =>
    record.evidence?.files.some((file) => file.store === store && file.present),
  );
}

/** The ticket that an operation's record describes: same key, same target, same parameters. */
export function ownTicket(evidence: Evidence, operation: Row): Row | undefined {
  const { tool, source, title } = operation.cells;
  return ticketsOf(evidence).find(
    (row) =>
      row.cells.operation === operation.key &&
      row.cells.tool === tool &&
      row.cells.source === source &&
      row.cells.title === title,
  );
}

export const words = (values: readonly Json[]): string => (values.length === 0 ? 'none' : values.join(', '));
