/** What an independent reader finds in the three files (README.md, "Panels"). Read-only; a missing file is a fact. */
import { digest } from '../../core/canonical.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Evidence, Panel, Row, TruthChange } from '../../evidence/model.ts';
import { filesOf, integrityOf, type ReadStore, rows, withStores } from '../../evidence/read.ts';
import { type ReceiptRow, receiptFault, type TicketRow } from './receipt.ts';
import type { OutboxRow } from './sender.ts';
import { STORES, type StoreId } from './stores.ts';
import { intentId, parse, parseOrText, storedPayloadFault } from './terms.ts';

type Stores = Record<string, ReadStore>;

interface RequestRow {
  operation_key: string;
  caller: string;
  mode: string;
  payload_hash: string;
}

function requestCell(row: OutboxRow, request: RequestRow | undefined): string {
  if (!request) return 'missing';
  const same =
    request.caller === row.caller && request.mode === row.mode && request.payload_hash === row.payload_hash;
  return same ? 'recorded' : 'another intent';
}

function outboxPanel({ sender }: Stores): Panel {
  const requests = new Map(
    rows<RequestRow>(sender, 'SELECT * FROM requests ORDER BY operation_key').map((row) => [
      row.operation_key,
      row,
    ]),
  );
  const found = rows<OutboxRow>(sender, 'SELECT * FROM outbox ORDER BY operation_key');
  const known = found.map((row): Row => {
    const fault = storedPayloadFault(row.payload, row.payload_hash);
    const cells = {
      state: row.state,
      attempts: row.attempts,
      lease: row.lease,
      mode: row.mode,
      caller: row.caller,
      request: requestCell(row, requests.get(row.operation_key)),
      payload: fault ?? 'matches its hash',
      payload_hash: row.payload_hash,
      response: parseOrText(row.response),
    };
    return { key: row.operation_key, store: 'sender', cells };
  });
  const orphans = [...requests.values()]
    .filter((request) => !found.some((row) => row.operation_key === request.operation_key))
    .map(
      ({ operation_key, caller, mode, payload_hash }): Row => ({
        key: operation_key,
        store: 'sender',
        cells: {
          state: 'absent',
          attempts: 0,
          lease: null,
          mode,
          caller,
          request: 'recorded',
          payload: 'no outbox row',
          payload_hash,
          response: null,
        },
      }),
    );
  const columns = [
    'state',
    'attempts',
    'lease',
    'mode',
    'caller',
    'request',
    'payload',
    'payload_hash',
    'response',
  ];
  const all = [...known, ...orphans].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { id: 'operation', title: 'Outbox of the sender', columns, rows: all };
}

function ticketCells(id: number, payload: string): JsonObject {
  const value = parse(payload);
  const held = isObject(value) ? value : {};
  return {
    ticket: id,
    title: held.title ?? null,
    body: held.body ?? null,
    payload_hash: value === undefined ? null : digest(value),
  };
}

function ticketPanel({ receiver, external }: Stores): Panel {
  const own = rows<TicketRow>(receiver, 'SELECT * FROM tickets ORDER BY ticket_id').map(
    (row): Row => ({
      key: `receiver/${row.ticket_id}`,
      store: 'receiver',
      cells: {
        ...ticketCells(row.ticket_id, row.payload),
        intent: intentId(row.caller, row.operation_key),
        seen_by: 'receiver',
      },
    }),
  );
  const tool = rows<{ ticket_id: number; payload: string }>(
    external,
    'SELECT * FROM tickets ORDER BY ticket_id',
  ).map(
    (row): Row => ({
      key: `external/${row.ticket_id}`,
      store: 'external',
      cells: {
        ...ticketCells(row.ticket_id, row.payload),
        intent: null,
        seen_by: 'ground truth only, never the sender',
      },
    }),
  );
  const columns = ['ticket', 'title', 'body', 'payload_hash', 'intent', 'seen_by'];
  return { id: 'target', title: 'Tickets', columns, rows: [...own, ...tool] };
}

function receiptPanel({ receiver }: Stores): Panel {
  const tickets = new Map(
    rows<TicketRow>(receiver, 'SELECT * FROM tickets').map((row) => [row.ticket_id, row]),
  );
  const seen = new Map<string, number>();
  const all = rows<ReceiptRow>(
    receiver,
    'SELECT * FROM receipts ORDER BY caller, operation_key, ticket_id',
  ).map((row): Row => {
    const intent = intentId(row.caller, row.operation_key);
    const nth = (seen.get(intent) ?? 0) + 1;
    seen.set(intent, nth);
    const fault = receiptFault(row, tickets.get(row.ticket_id));
    const cells = {
      ticket: row.ticket_id,
      proves: fault === null ? 'its ticket' : `nothing: ${fault}`,
      payload_hash: row.payload_hash,
      response: parseOrText(row.response),
    };
    return { key: nth === 1 ? intent : `${intent}#${nth}`, store: 'receiver', cells };
  });
  return {
    id: 'receipts',
    title: 'Receipts of the receiver',
    columns: ['ticket', 'proves', 'payload_hash', 'response'],
    rows: all,
  };
}

interface EventRow {
  seq: number;
  event: string;
  operation_key: string | null;
  attempt: number | null;
  ticket_id: number | null;
  at: number;
  detail: string | null;
}

const EVENTS: Record<StoreId, string> = {
  sender: 'SELECT seq, event, operation_key, attempt, NULL AS ticket_id, at, detail FROM events ORDER BY seq',
  receiver:
    'SELECT seq, event, operation_key, NULL AS attempt, ticket_id, at, NULL AS detail FROM events ORDER BY seq',
  external:
    'SELECT seq, event, NULL AS operation_key, NULL AS attempt, ticket_id, at, NULL AS detail FROM events ORDER BY seq',
};

function eventPanel(stores: Stores): Panel {
  const all = STORES.flatMap(({ id }) =>
    rows<EventRow>(stores[id], EVENTS[id]).map(
      (row): Row => ({
        key: `${id}/${row.seq}`,
        store: id,
        cells: {
          event: row.event,
          key: row.operation_key,
          attempt: row.attempt,
          ticket: row.ticket_id,
          at: row.at,
          detail: row.detail,
        },
      }),
    ),
  );
  const columns = ['event', 'key', 'attempt', 'ticket', 'at', 'detail'];
  return { id: 'events', title: 'What each store recorded', columns, rows: all };
}

interface TruthRow {
  ticket_id: number;
  caller: string;
  operation_key: string;
  mode: string;
  payload_hash: string;
}

function observed(stores: Stores): TruthChange[] {
  return (['receiver', 'external'] as const).flatMap((store) =>
    rows<TruthRow>(stores[store], 'SELECT * FROM ground_truth ORDER BY seq').map((row): TruthChange => {
      const to: Json = { ticket: row.ticket_id, mode: row.mode, payload_hash: row.payload_hash };
      const operation = intentId(row.caller, row.operation_key);
      return { store, target: `${store}/${row.ticket_id}`, operation, actor: 'executor', from: null, to };
    }),
  );
}

/**
 * Reads the three databases of a run.
 *
 * @param dir directory of the databases
 * @returns the four panels, the ground truth's record and the integrity of each file; throws nothing for a file that
 *   is missing or is no database
 */
export function readEvidence(dir: string): Evidence {
  return withStores(dir, STORES, (stores) => ({
    lab: 'outbox',
    panels: [outboxPanel(stores), ticketPanel(stores), receiptPanel(stores), eventPanel(stores)],
    truth: observed(stores),
    integrity: integrityOf(stores),
    files: filesOf(stores),
  }));
}
