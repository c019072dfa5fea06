/** The independent reader: what lies in both databases, through connections that cannot write. */
import type { Json, JsonObject } from '../../core/json.ts';
import type { Evidence, Panel, PanelId, Row, TruthChange } from '../../evidence/model.ts';
import { filesOf, integrityOf, type ReadStore, rows, withStores } from '../../evidence/read.ts';
import { operationId, RUNS, type Slot, STORES, TICKETS, ticketName } from './words.ts';

type Found = { tenant: string; run: string } & JsonObject;
type Opened = Record<string, ReadStore>;

const COLUMNS: Record<PanelId, string[]> = {
  operation: [
    'state',
    'attempts',
    'budget',
    'ticket',
    'cancelRequested',
    'dispatchedAt',
    'sureFrom',
    'doubt',
    'residue',
    'principal',
    'source',
    'title',
    'tool',
    'expectedSource',
    'expectedTitle',
    'expectedTool',
  ],
  target: ['status', 'tenant', 'source', 'title', 'createdAt'],
  receipts: ['kind', 'ticket', 'source', 'title', 'conclusion', 'by'],
  events: ['operation', 'kind', 'detail'],
};

const TITLES: Record<PanelId, string> = {
  operation: 'runs and compensations',
  target: 'tickets',
  receipts: 'operation keys',
  events: 'history',
};

const panelOf = (id: PanelId, found: Row[]): Panel => ({
  id,
  title: TITLES[id],
  columns: COLUMNS[id],
  rows: found,
});

const named = (id: Json | undefined): Json => (typeof id === 'number' ? ticketName(id) : null);

function operationRow(slot: Slot, { tenant, run, ...cells }: Found): Row {
  const key = operationId(tenant, run, slot);
  const flag: JsonObject = 'cancelRequested' in cells ? { cancelRequested: cells.cancelRequested === 1 } : {};
  return { key, store: RUNS.id, cells: { ...cells, ...flag, ticket: named(cells.ticket) } };
}

function operationPanel(store: ReadStore | undefined): Panel {
  const runs = rows<Found>(
    store,
    `SELECT tenant, run, state, attempts, budget, ticket, cancel_requested AS cancelRequested,
       dispatched_at AS dispatchedAt, sure_from AS sureFrom, doubt, principal, source, title, tool,
       expected_source AS expectedSource, expected_title AS expectedTitle, expected_tool AS expectedTool
     FROM runs ORDER BY tenant, run`,
  );
  const others = rows<Found>(
    store,
    'SELECT tenant, run, state, attempts, ticket, residue FROM compensations ORDER BY tenant, run',
  );
  return panelOf('operation', [
    ...runs.map((row) => operationRow('ticket', row)),
    ...others.map((row) => operationRow('compensation', row)),
  ]);
}

function targetPanel(store: ReadStore | undefined): Panel {
  const sql = 'SELECT id, status, tenant, source, title, created_at AS createdAt FROM tickets ORDER BY id';
  const found = rows<JsonObject>(store, sql).map(({ id, ...cells }) => ({
    key: ticketName(Number(id)),
    store: TICKETS.id,
    cells,
  }));
  return panelOf('target', found);
}

/** What ties a ticket to an operation: the key that was committed with it. A service without keys leaves none. */
function receiptsPanel(store: ReadStore | undefined, records: ReadStore | undefined): Panel {
  const found = rows<JsonObject>(
    store,
    `SELECT tenant, key, 'create' AS kind, id AS ticket, source, title FROM tickets WHERE key IS NOT NULL
     UNION ALL
     SELECT voids.tenant, voids.key, 'void', voids.ticket, tickets.source, tickets.title
     FROM voids JOIN tickets ON tickets.id = voids.ticket WHERE voids.key IS NOT NULL
     ORDER BY kind, ticket`,
  );
  const decided = rows<Found & { seq: number }>(
    records,
    'SELECT seq, tenant, run, conclusion, ticket, decided_by AS by FROM decisions ORDER BY seq',
  );
  return panelOf('receipts', [
    ...found.map(({ tenant, key, ticket, ...cells }) => ({
      key: `${tenant}/${key}`,
      store: TICKETS.id,
      cells: { ...cells, ticket: named(ticket) } as JsonObject,
    })),
    ...decided.map(({ seq, tenant, run, ticket, ...cells }) => ({
      key: `decision ${seq}: ${operationId(tenant, run, 'ticket')}`,
      store: RUNS.id,
      cells: { kind: 'decision', ...cells, ticket: named(ticket) } as JsonObject,
    })),
  ]);
}

function eventsPanel(store: ReadStore | undefined): Panel {
  const found = rows<Found & { slot: Slot }>(
    store,
    'SELECT seq, tenant, run, slot, kind, detail FROM events ORDER BY seq',
  ).map(({ seq, tenant, run, slot, kind, detail }) => ({
    key: String(seq),
    store: RUNS.id,
    cells: { operation: operationId(tenant, run, slot), kind, detail } as JsonObject,
  }));
  return panelOf('events', found);
}

interface TruthRow {
  ticket: number;
  operation: string | null;
  actor: string;
  before: string;
  after: string;
}

function readTruth(store: ReadStore | undefined): TruthChange[] {
  return rows<TruthRow>(store, 'SELECT * FROM ground_truth ORDER BY seq').map((row) => ({
    store: TICKETS.id,
    target: ticketName(row.ticket),
    operation: row.operation,
    actor: row.actor,
    from: JSON.parse(row.before) as Json,
    to: JSON.parse(row.after) as Json,
  }));
}

function visible(stores: Opened): Omit<Evidence, 'truth'> {
  const { [RUNS.id]: runs, [TICKETS.id]: tickets } = stores;
  return {
    lab: 'write-recovery',
    panels: [operationPanel(runs), targetPanel(tickets), receiptsPanel(tickets, runs), eventsPanel(runs)],
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
    truth: readTruth(stores[TICKETS.id]),
  }));
}
