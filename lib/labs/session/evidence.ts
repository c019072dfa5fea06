/** The independent reader: both databases through connections that cannot write. */
import type { Json, JsonObject } from '../../core/json.ts';
import type { Evidence, Panel, Row, TruthChange } from '../../evidence/model.ts';
import { filesOf, integrityOf, type ReadStore, rows, withStores } from '../../evidence/read.ts';
import { CLIENT, isAmong, SERVICE, STORES } from './words.ts';

type Stores = Record<string, ReadStore>;

const keyed = (store: string, found: JsonObject[], prefix = ''): Row[] =>
  found.map(({ key, ...cells }) => ({ key: `${prefix}${key}`, store, cells }));

const parse = (value: Json | undefined): Json => JSON.parse(String(value)) as Json;

/** Operations first: what is in flight and what is uncertain; then connections and requests. */
function operationPanel(stores: Stores): Panel {
  const store = stores[CLIENT.id];
  const operations = rows<JsonObject>(
    store,
    `SELECT operation AS key, 'operation' AS kind, status, reason, tool, source, title, epoch, request, ticket
     FROM operations ORDER BY operation`,
  );
  const connections = rows<JsonObject>(
    store,
    `SELECT epoch AS key, 'connection' AS kind, state AS status, catalogue, server_code AS serverExit,
       server_signal AS serverSignal, server_log AS serverLog
     FROM connections ORDER BY epoch`,
  );
  const requests = rows<JsonObject>(
    store,
    `SELECT request AS key, 'request' AS kind, status, epoch, method, name FROM requests
     ORDER BY epoch, CAST(substr(request, instr(request, ':') + 1) AS INTEGER)`,
  );
  return {
    id: 'operation',
    title: 'client record',
    columns: [
      'status',
      'kind',
      'reason',
      'tool',
      'epoch',
      'request',
      'method',
      'ticket',
      'serverExit',
      'serverSignal',
    ],
    rows: [
      ...keyed(CLIENT.id, operations),
      ...keyed(CLIENT.id, connections, 'connection '),
      ...keyed(CLIENT.id, requests, 'request '),
    ],
  };
}

function targetPanel(stores: Stores): Panel {
  const store = stores[SERVICE.id];
  const documents = rows<JsonObject>(
    store,
    'SELECT document AS key, version, body FROM documents ORDER BY document',
  );
  const tickets = rows<JsonObject>(
    store,
    `SELECT id AS key, id AS ticket, operation_key AS operation, request, tool, source, title
     FROM tickets ORDER BY id`,
  );
  return {
    id: 'target',
    title: 'document and tickets',
    columns: ['version', 'body', 'operation', 'request', 'tool', 'source', 'title'],
    rows: [...keyed(SERVICE.id, documents), ...keyed(SERVICE.id, tickets, 'ticket ')],
  };
}

/** What proves an operation: a ticket that a request of its own made, with equal parameters; an accepted update. */
function receiptsPanel(stores: Stores): Panel {
  const wanted = rows<JsonObject>(stores[CLIENT.id], 'SELECT operation, tool, source, title FROM operations');
  const requests = rows<{ name: string; request: string }>(
    stores[CLIENT.id],
    "SELECT name, request FROM requests WHERE method = 'tools/call'",
  );
  const ofOperation = (operation: unknown) =>
    requests.filter(({ name }) => name === operation).map(({ request }) => request);
  const tickets = rows<JsonObject>(
    stores[SERVICE.id],
    'SELECT id AS ticket, operation_key AS operation, request, tool, source, title FROM tickets ORDER BY id',
  );
  const proofs = tickets.filter(
    (ticket) =>
      isAmong(ticket.request, ofOperation(ticket.operation)) &&
      wanted.some((op) =>
        ['operation', 'tool', 'source', 'title'].every((name) => op[name] === ticket[name]),
      ),
  );
  const updates = rows<JsonObject>(
    stores[SERVICE.id],
    `SELECT operation AS key, 'update' AS kind, from_version AS fromVersion, version, body
     FROM updates ORDER BY rowid`,
  );
  return {
    id: 'receipts',
    title: 'proofs',
    columns: ['kind', 'ticket', 'tool', 'source', 'title', 'fromVersion', 'version'],
    rows: [
      ...proofs.map(({ ticket, operation, tool, source, title }) => ({
        key:
          proofs.filter((one) => one.operation === operation).length > 1
            ? `${operation} ${ticket}`
            : `${operation}`,
        store: SERVICE.id,
        cells: { kind: 'ticket', operation, ticket, tool, source, title } as JsonObject,
      })),
      ...keyed(SERVICE.id, updates),
    ],
  };
}

const WHAT: Record<string, string> = {
  request: 'asks',
  notification: 'announces',
  completed: 'answers',
  initialize_result: 'answers',
  catalog_received: 'answers',
  stale_catalog: 'answers, with a list asked for before the last change,',
  protocol_error: 'answers with a protocol error',
  tool_error: 'answers with a tool error',
  answered: 'answers a call that was sent again',
  'ticket-of-another': "answers with another client's ticket",
  catalog_invalidated: 'announces',
  malformed_reply: 'sends what cannot be read',
  oversized_message: 'sends a message that is too long',
  ignored_response: 'answers, and is ignored',
  timeout: 'gives up and announces',
  cancelled: 'cancels and announces',
};

/** One message in one line: who, what, about which operation, with which identity, over which connection. */
function messageWords({
  direction,
  transport,
  method,
  id,
  operation,
  about,
  ticket,
  note,
  epoch,
}: JsonObject): string {
  const who =
    transport === 'recorded' ? 'A recorded reply' : direction === 'out' ? 'The client' : 'The server';
  const parts = [who, WHAT[String(note)] ?? String(note)];
  if (method !== null) parts.push(String(method));
  const subject = operation ?? about;
  if (subject !== null) parts.push(`of ${subject}`);
  if (about !== null && operation !== null && about !== operation) parts.push(`with a reply about ${about}`);
  if (ticket !== null) parts.push(`naming ticket ${ticket}`);
  const where = [id === null ? 'no id' : `id ${id}`, `connection ${epoch}`];
  if (transport === 'recorded') where.push('delivered at message level, not by the real stdio connection');
  return `${parts.join(' ')} (${where.join(', ')})`;
}

const decided = ({ conclusion, reference, by }: JsonObject): string =>
  `${by} decided: ${conclusion}${reference === null ? '' : `, ticket ${reference}`}`;

/** Messages first, in their order; then what was decided, and the replies that the service has recorded. */
function eventsPanel(stores: Stores): Panel {
  const messages = rows<JsonObject>(
    stores[CLIENT.id],
    `SELECT seq AS key, method, id, operation, about, ticket, note, pending, epoch, direction, transport
     FROM messages ORDER BY seq`,
  );
  const decisions = rows<JsonObject>(
    stores[CLIENT.id],
    `SELECT seq AS key, 'decided-' || conclusion AS note, operation, conclusion, reference, looked, showed,
       decided_by AS by
     FROM decisions ORDER BY seq`,
  );
  const replies = rows<JsonObject>(
    stores[SERVICE.id],
    `SELECT seq AS key, 'recorded-reply' AS note, operation_key AS operation, request AS id, bytes
     FROM replies ORDER BY seq`,
  );
  return {
    id: 'events',
    title: 'messages',
    columns: ['says', 'method', 'id', 'operation', 'about', 'note', 'pending', 'transport'],
    rows: [
      ...keyed(
        CLIENT.id,
        messages.map(({ key, ...message }) => ({
          key: key as Json,
          says: messageWords(message),
          ...message,
          hasId: message.id !== null,
          pending: parse(message.pending),
        })),
      ),
      ...keyed(
        CLIENT.id,
        decisions.map((row) => ({ ...row, says: decided(row) })),
        'decision/',
      ),
      ...keyed(
        SERVICE.id,
        replies.map((row) => ({
          ...row,
          says: `The service recorded its reply to ${row.id} about ${row.operation}`,
        })),
        'reply/',
      ),
    ],
  };
}

function readTruth(store: ReadStore | undefined): TruthChange[] {
  return rows<JsonObject>(
    store,
    'SELECT target, operation, actor, before, after FROM ground_truth ORDER BY seq',
  ).map((row) => ({
    store: SERVICE.id,
    target: String(row.target),
    operation: row.operation === null ? null : String(row.operation),
    actor: String(row.actor),
    from: parse(row.before),
    to: parse(row.after),
  }));
}

function visible(stores: Stores): Omit<Evidence, 'truth'> {
  return {
    lab: 'session',
    panels: [operationPanel(stores), targetPanel(stores), receiptsPanel(stores), eventsPanel(stores)],
    integrity: integrityOf(stores),
    files: filesOf(stores),
  };
}

/** Everything that a command may show: evidence without the ground truth, which no executor reads. */
export function inspection(dir: string): JsonObject {
  return withStores(dir, STORES, visible) as unknown as JsonObject;
}

/** Evidence with the ground truth, for judging. A missing or unreadable database is stated, never an error. */
export function readEvidence(dir: string): Evidence {
  return withStores(dir, STORES, (stores) => ({
    ...visible(stores),
    truth: readTruth(stores[SERVICE.id]),
  }));
}
