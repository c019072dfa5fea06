/** The independent reader: what lies in the database, through a connection that cannot write. */
import type { JsonObject } from '../../core/json.ts';
import { type Evidence, PANEL_IDS, type Panel, type Row, type TruthChange } from '../../evidence/model.ts';
import { filesOf, integrityOf, type ReadStore, rows, withStores } from '../../evidence/read.ts';
import { FILE, PROPERTY, STORE, TABLES } from './words.ts';

export const STORES = [{ id: STORE, file: FILE, tables: TABLES, panels: PANEL_IDS }];

function asRows(found: JsonObject[], key: string): Row[] {
  return found.map(({ [key]: id, ...cells }) => ({ key: String(id), store: STORE, cells }));
}

/** SQLite has no booleans; evidence has. */
function withBoolean(found: JsonObject[], name: string): JsonObject[] {
  return found.map((row) => ({ ...row, [name]: row[name] === 1 }));
}

function operationPanel(store: ReadStore | undefined): Panel {
  const found = rows<JsonObject>(
    store,
    `SELECT operation, status, digest, target, expected_version AS expectedVersion, value
     FROM operations ORDER BY operation`,
  );
  const columns = ['status', 'digest', 'target', 'expectedVersion', 'value'];
  return {
    id: 'operation',
    title: 'ledger',
    columns,
    rows: asRows(withBoolean(found, 'value'), 'operation'),
  };
}

function targetPanel(store: ReadStore | undefined): Panel {
  const found = rows<JsonObject>(
    store,
    `SELECT target, version, block_public_access AS ${PROPERTY} FROM targets ORDER BY target`,
  );
  const columns = ['version', PROPERTY];
  return { id: 'target', title: 'target', columns, rows: asRows(withBoolean(found, PROPERTY), 'target') };
}

function receiptsPanel(store: ReadStore | undefined): Panel {
  const found = rows<JsonObject>(
    store,
    `SELECT operation, digest, target, from_version AS fromVersion, version FROM receipts ORDER BY operation`,
  );
  const columns = ['digest', 'target', 'fromVersion', 'version'];
  return { id: 'receipts', title: 'receipts', columns, rows: asRows(found, 'operation') };
}

function eventsPanel(store: ReadStore | undefined): Panel {
  const found = rows<JsonObject>(store, 'SELECT seq, operation, kind, detail FROM events ORDER BY seq');
  return {
    id: 'events',
    title: 'history',
    columns: ['operation', 'kind', 'detail'],
    rows: asRows(found, 'seq'),
  };
}

interface TruthRow {
  target: string;
  operation: string | null;
  actor: string;
  from_version: number;
  from_value: number;
  to_version: number;
  to_value: number;
}

function readTruth(store: ReadStore | undefined): TruthChange[] {
  return rows<TruthRow>(store, 'SELECT * FROM ground_truth ORDER BY seq').map((row) => ({
    store: STORE,
    target: row.target,
    operation: row.operation,
    actor: row.actor,
    from: { version: row.from_version, [PROPERTY]: row.from_value === 1 },
    to: { version: row.to_version, [PROPERTY]: row.to_value === 1 },
  }));
}

type Visible = Omit<Evidence, 'truth'>;

function visible(stores: Record<string, ReadStore>): Visible {
  const store = stores[STORE];
  return {
    lab: 'receipt',
    panels: [operationPanel(store), targetPanel(store), receiptsPanel(store), eventsPanel(store)],
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
  return withStores(dir, STORES, (stores) => ({ ...visible(stores), truth: readTruth(stores[STORE]) }));
}
