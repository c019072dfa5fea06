/** When a receipt proves its ticket. Pure: the receiver asks it before it answers, evidence shows the same answer. */
import { digest } from '../../core/canonical.ts';
import type { JsonObject } from '../../core/json.ts';
import { parse, responseFault } from './terms.ts';

export interface ReceiptRow {
  caller: string;
  operation_key: string;
  payload_hash: string;
  ticket_id: number;
  response: string;
  /** The sender's attempt that made the ticket; 0 for a delivery past the sender. */
  attempt: number;
}

export interface TicketRow {
  ticket_id: number;
  caller: string;
  operation_key: string;
  payload: string;
}

/** @returns how a receipt and the ticket that it names contradict each other, or null */
export function receiptFault(receipt: ReceiptRow, ticket: TicketRow | undefined): string | null {
  const response = parse(receipt.response);
  if (response === undefined) return 'its stored response is not JSON';
  const wrong = responseFault(response, receipt);
  if (wrong) return `its stored response does not fit: ${wrong}`;
  if ((response as JsonObject).ticket_id !== receipt.ticket_id)
    return 'its stored response names another ticket';
  if (!ticket) return 'its ticket does not exist';
  if (ticket.caller !== receipt.caller || ticket.operation_key !== receipt.operation_key) {
    return 'its ticket belongs to another intent';
  }
  const payload = parse(ticket.payload);
  return payload !== undefined && digest(payload) === receipt.payload_hash
    ? null
    : 'its ticket holds another payload';
}
