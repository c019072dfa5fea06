/** Evidence read back into the lab's own terms, for judging and for assessment. */
import type { Json } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import { CLIENT, DOCUMENT, isAmong, SERVICE } from './words.ts';

export const operationsOf = (evidence: Evidence): Row[] =>
  panel(evidence, 'operation').rows.filter((row) => row.cells.kind === 'operation');

export const ticketsOf = (evidence: Evidence): Row[] =>
  panel(evidence, 'target').rows.filter((row) => row.key.startsWith('ticket '));

export const updatesOf = (evidence: Evidence): Row[] =>
  panel(evidence, 'receipts').rows.filter((row) => row.cells.kind === 'update');

export const documentOf = (evidence: Evidence): Row | undefined =>
  panel(evidence, 'target').rows.find((row) => row.key === DOCUMENT);

export const messagesOf = (evidence: Evidence): Row[] =>
  panel(evidence, 'events').rows.filter((row) => row.cells.direction !== undefined);

/** Identities of the requests by which the client asked for an operation. */
const requestsOf = (evidence: Evidence, operation: string): string[] =>
  panel(evidence, 'operation')
    .rows.filter(({ cells }) => cells.method === 'tools/call' && cells.name === operation)
    .map(({ key }) => key.slice('request '.length));

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

/** The ticket that an operation's record describes: same key, target and parameters, made by a request of its own. */
export function ownTicket(evidence: Evidence, operation: Row): Row | undefined {
  const { tool, source, title } = operation.cells;
  return ticketsOf(evidence).find(
    (row) =>
      row.cells.operation === operation.key &&
      isAmong(row.cells.request, requestsOf(evidence, operation.key)) &&
      row.cells.tool === tool &&
      row.cells.source === source &&
      row.cells.title === title,
  );
}

/** The ticket that a person confirmed by its number: under the key, and made over a connection. */
export const reviewedTicket = (evidence: Evidence, operation: Row): Row | undefined =>
  operation.cells.reason === 'reviewed'
    ? ticketsOf(evidence).find(
        ({ cells }) =>
          cells.ticket === operation.cells.ticket &&
          cells.operation === operation.key &&
          cells.request !== null,
      )
    : undefined;

/** Tickets made over a connection for operations of which the client has no record. */
export function unrecorded(evidence: Evidence): Row[] {
  const known = new Set(operationsOf(evidence).map(({ key }) => key));
  return ticketsOf(evidence).filter(
    ({ cells }) => cells.request !== null && !known.has(String(cells.operation)),
  );
}

export const words = (values: readonly Json[]): string => (values.length === 0 ? 'none' : values.join(', '));
