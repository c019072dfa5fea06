/** Evidence from panels that a lab describes as SQL: reading, integrity and files are the same for every lab. */
import type { Json, JsonObject } from '../../core/json.ts';
import { type Evidence, PANEL_IDS, type Panel, type PanelId, type Row } from '../../evidence/model.ts';
import { filesOf, integrityOf, type ReadStore, rows, withStores } from '../../evidence/read.ts';
import type { StoreSpec } from '../contract.ts';

/** Rows of a panel from one store. */
export interface RowSource {
  store: string;
  /** Yields the key and the cells, named and ordered as they are shown; ordered so that two readings are equal. */
  sql: string;
  /** Column with the row's key; it is not a cell. */
  key: string;
  /** Columns that hold 0 or 1 and mean false or true. */
  booleans?: readonly string[];
}

export interface PanelSpec {
  title: string;
  columns: string[];
  from: readonly RowSource[];
}

export type Panels = Record<PanelId, PanelSpec>;

/** The ground truth of one store: `sql` yields target, operation, actor, and `before` and `after` as JSON texts. */
export interface TruthSource {
  store: string;
  sql: string;
}

export type KitStore = Omit<StoreSpec, 'panels'>;

export interface EvidenceSpec {
  id: string;
  stores: readonly KitStore[];
  panels: Panels;
  truth: readonly TruthSource[];
}

type Stores = Record<string, ReadStore>;

function rowsOf(stores: Stores, { store, sql, key, booleans = [] }: RowSource): Row[] {
  return rows<JsonObject>(stores[store], sql).map((found) => {
    const { [key]: id, ...cells } = found;
    for (const name of booleans) cells[name] = cells[name] === 1;
    return { key: String(id), store, cells };
  });
}

function panelOf(stores: Stores, id: PanelId, { title, columns, from }: PanelSpec): Panel {
  return { id, title, columns: [...columns], rows: from.flatMap((source) => rowsOf(stores, source)) };
}

function visible({ id, panels }: EvidenceSpec, stores: Stores): Omit<Evidence, 'truth'> {
  const found = PANEL_IDS.map((panel) => panelOf(stores, panel, panels[panel]));
  return {
    lab: id,
    panels: found as Evidence['panels'],
    integrity: integrityOf(stores),
    files: filesOf(stores),
  };
}

interface TruthRow {
  target: string;
  operation: string | null;
  actor: string;
  before: string;
  after: string;
}

function truthOf(stores: Stores, { store, sql }: TruthSource): Evidence['truth'] {
  return rows<TruthRow>(stores[store], sql).map(({ target, operation, actor, before, after }) => ({
    store,
    target,
    operation,
    actor,
    from: JSON.parse(before) as Json,
    to: JSON.parse(after) as Json,
  }));
}

/** Everything that a command may show: evidence without the ground truth, which no executor reads. */
export function inspection(spec: EvidenceSpec, dir: string): JsonObject {
  return withStores(dir, spec.stores, (stores) => visible(spec, stores)) as unknown as JsonObject;
}

/** Evidence with the ground truth, for judging. A missing or unreadable store is a fact in it, never an error. */
export function readEvidence(spec: EvidenceSpec, dir: string): Evidence {
  return withStores(dir, spec.stores, (stores) => ({
    ...visible(spec, stores),
    truth: spec.truth.flatMap((source) => truthOf(stores, source)),
  }));
}

/** The stores with the panels that are read from each of them. */
export function storesOf({ stores, panels }: EvidenceSpec): StoreSpec[] {
  return stores.map((store) => ({
    ...store,
    panels: PANEL_IDS.filter((id) => panels[id].from.some((source) => source.store === store.id)),
  }));
}
