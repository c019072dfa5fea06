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

interface DecisionRow {
  seq: number;
  operation_key: string;
  attempt: number;
  conclusion: string;
  ticket_id: number | null;
  looked: string;
  showed: string;
  decided_by: string;
  at: number;
}

interface LateRow {
  seq: number;
  operation_key: string;
  attempt: number;
  ticket_id: number | null;
  response: string;
  at: number;
}

interface RequestRow {
  operation_key: string;
  caller: string;
  mode: string;
  payload_hash: string;
  wish: string;
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
  const decisions = rows<DecisionRow>(sender, 'SELECT * FROM decisions ORDER BY seq');
  const decided = new Map(decisions.map((row) => [`${row.operation_key} ${row.attempt}`, row.conclusion]));
  const known = found.map((row): Row => {
    const fault = storedPayloadFault(row.payload, row.payload_hash);
    const cells = {
      state: row.state,
      attempts: row.attempts,
      lease: row.lease,
      mode: row.mode,
      caller: row.caller,
      request: requestCell(row, requests.get(row.operation_key)),
      wish: requests.get(row.operation_key)?.wish ?? null,
      payload: fault ?? 'matches its hash',
      payload_hash: row.payload_hash,
      response: parseOrText(row.response),
      resolved: decided.get(`${row.operation_key} ${row.attempts}`) ?? null,
    };
    return { key: row.operation_key, store: 'sender', cells };
  });
  const orphans = [...requests.values()]
    .filter((request) => !found.some((row) => row.operation_key === request.operation_key))
    .map(
      ({ operation_key, caller, mode, payload_hash, wish }): Row => ({
        key: operation_key,
        store: 'sender',
        cells: {
          state: 'absent',
          attempts: 0,
          lease: null,
          mode,
          caller,
          request: 'recorded',
          wish,
          payload: 'no outbox row',
          payload_hash,
          response: null,
          resolved: null,
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
    'wish',
    'payload',
    'payload_hash',
    'response',
    'resolved',
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
      made_by: row.attempt === 0 ? 'a delivery past the sender' : `attempt ${row.attempt}`,
      proves: fault === null ? 'its ticket' : `nothing: ${fault}`,
      payload_hash: row.payload_hash,
      response: parseOrText(row.response),
    };
    return { key: nth === 1 ? intent : `${intent}#${nth}`, store: 'receiver', cells };
  });
  return {
    id: 'receipts',
    title: 'Receipts of the receiver',
    columns: ['ticket', 'made_by', 'proves', 'payload_hash', 'response'],
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

/** Rows of the sender that are no lines of its history: late responses and decisions, each kept as it was. */
function afterwards({ sender }: Stores): Row[] {
  const row = (key: string, event: string, of: LateRow | DecisionRow, detail: Json): Row => ({
    key,
    store: 'sender',
    cells: { event, key: of.operation_key, attempt: of.attempt, ticket: of.ticket_id, at: of.at, detail },
  });
  return [
    ...rows<LateRow>(sender, 'SELECT * FROM late ORDER BY seq').map((late) =>
      row(`sender/late/${late.seq}`, 'late-response', late, parseOrText(late.response)),
    ),
    ...rows<DecisionRow>(sender, 'SELECT * FROM decisions ORDER BY seq').map((one) => {
      const { conclusion, looked, showed, decided_by: by } = one;
      return row(`sender/decision/${one.seq}`, 'decision', one, { conclusion, looked, showed, by });
    }),
  ];
}

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
  const title = 'What each store recorded, what came late, what was decided';
  return { id: 'events', title, columns, rows: [...all, ...afterwards(stores)] };
}

interface TruthRow {
  ticket_id: number;
  caller: string;
  operation_key: string;
  mode: string;
  payload_hash: string;
  attempt: number;
  removed?: number;
}

function observed(stores: Stores): TruthChange[] {
  return (['receiver', 'external'] as const).flatMap((store) =>
    rows<TruthRow>(stores[store], 'SELECT * FROM ground_truth ORDER BY seq').map((row): TruthChange => {
      const { ticket_id: ticket, mode, payload_hash, attempt } = row;
      const to: Json = { ticket, mode, payload_hash, attempt };
      const operation = intentId(row.caller, row.operation_key);
      const actor = attempt === 0 ? 'past the sender' : 'executor';
      if (row.removed) {
        const [from, by] = [to, 'sweeper'];
        return { store, target: `${store}/${ticket}`, operation: null, actor: by, from, to: null };
      }
      return { store, target: `${store}/${ticket}`, operation, actor, from: null, to };
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
