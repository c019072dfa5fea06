/** A layer of the crash matrix as a table. Every cell of the layer is in exactly one place of it. */
import { type Place, type PlacedFault, WAYS, type Way, worst } from '#lib/drill/sweep/model.ts';
import type { CheckResult, Decision } from '#lib/evidence/model.ts';
import type { SweepView } from '#lib/operations/get-sweep.ts';
import type { CellSummary } from '#lib/operations/sweep-job.ts';
import { anyStep, compareRanks, inStep, type Order, type Ranks } from './order.ts';
import type { Only } from './search-params.ts';

/** What stands in one place of the table: the same boundaries, in different ways to die and in different steps. */
export interface GridCell {
  /** Step by step, way by way. */
  cells: CellSummary[];
  /** The worst of them. */
  verdict: CheckResult;
  /** How many have that verdict. */
  so: number;
  /** Something is violated, and the procedure declares that. */
  byDesign: boolean;
  /** Every decision that one of them came to. */
  decisions: Decision[];
  /** The fewest and the most effects at the target. */
  effects: [number, number];
}

export interface GridRow {
  id: string;
  /** Where the faults before the last one are; in the first layer, where the only one is. */
  places: Place[];
  /** By column id. */
  cells: Map<string, GridCell>;
}

export interface Grid {
  procedure: string;
  columns: { id: string; way: Way | null; place: Place | null }[];
  rows: GridRow[];
}

/** Something is violated, and the procedure declares that. */
export const violatedByDesign = ({ verdict, violated }: CellSummary): boolean =>
  verdict === 'holds' && violated.length > 0;

const IS: Record<Only, (cell: CellSummary) => boolean> = {
  'not-holds': ({ verdict }) => verdict !== 'holds',
  violated: ({ verdict }) => verdict === 'violated',
  unknown: ({ verdict }) => verdict === 'unknown',
  'by-design': violatedByDesign,
};

const lastOf = ({ faults }: CellSummary): PlacedFault => faults.at(-1) as PlacedFault;

function sorted<T>(items: readonly T[], ranks: (item: T) => Ranks): T[] {
  return [...items].sort((a, b) => compareRanks(ranks(a), ranks(b)));
}

function merged(found: readonly CellSummary[], order: Order): GridCell {
  const cells = sorted(found, (cell) => {
    const last = lastOf(cell);
    return [...order.inStep(last), WAYS.indexOf(last.action)];
  });
  const verdict = worst(cells.map((cell) => cell.verdict));
  const effects = cells.map((cell) => cell.effects);
  return {
    cells,
    verdict,
    so: cells.filter((cell) => cell.verdict === verdict).length,
    byDesign: verdict === 'holds' && cells.some(violatedByDesign),
    decisions: [...new Set(cells.map(({ decision }) => decision))],
    effects: [Math.min(...effects), Math.max(...effects)],
  };
}

function columnsOf(cells: readonly CellSummary[], depth: number, order: Order): Grid['columns'] {
  if (depth === 1) return WAYS.map((way) => ({ id: way, way, place: null }));
  const places = new Map(cells.map((cell) => [anyStep(lastOf(cell)), lastOf(cell)]));
  const columns = [...places].map(([id, place]) => ({ id, way: null, place }));
  return sorted(columns, ({ place }) => order.anyStep(place));
}

/** One procedure's cells of a layer: boundaries down, ways to die or the boundaries of the last fault across. */
export function gridOf(procedure: string, depth: number, all: readonly CellSummary[], order: Order): Grid {
  const cells = all.filter((cell) => cell.procedure === procedure);
  const rows = new Map<string, { places: Place[]; by: Map<string, CellSummary[]> }>();
  for (const cell of cells) {
    const places = depth === 1 ? cell.faults : cell.faults.slice(0, -1);
    const id = places.map(inStep).join(' + ');
    const row = rows.get(id) ?? { places, by: new Map<string, CellSummary[]>() };
    const column = depth === 1 ? lastOf(cell).action : anyStep(lastOf(cell));
    row.by.set(column, [...(row.by.get(column) ?? []), cell]);
    rows.set(id, row);
  }
  const list = [...rows].map(([id, { places, by }]): GridRow => {
    const found = [...by].map(([column, here]) => [column, merged(here, order)] as const);
    return { id, places, cells: new Map(found) };
  });
  return {
    procedure,
    columns: columnsOf(cells, depth, order),
    rows: sorted(list, ({ places }) => places.flatMap(order.inStep)),
  };
}

/** The rows with a cell that is so; all of them for null. */
export function rowsWith({ rows }: Grid, only: Only | null): GridRow[] {
  if (only === null) return rows;
  return rows.filter((row) => [...row.cells.values()].some(({ cells }) => cells.some(IS[only])));
}

/** What a place without a cell and a table without rows are called, by how far the sweep has come. */
export interface Emptiness {
  cell: 'noCell' | 'notDoneYet' | 'notDone';
  table: 'nothingYet' | 'cancelledBefore' | 'failedBefore';
}

/** Before a layer is complete nobody knows whether a place has a cell: it may be to come, or never come any more. */
export function emptiness({ state, layers }: Pick<SweepView, 'state' | 'layers'>, depth: number): Emptiness {
  const layer = layers.find((one) => one.depth === depth);
  const complete = layer !== undefined && layer.done >= layer.size;
  const table =
    state === 'cancelled' ? 'cancelledBefore' : state === 'failed' ? 'failedBefore' : 'nothingYet';
  return { cell: complete ? 'noCell' : state === 'running' ? 'notDoneYet' : 'notDone', table };
}

/** How many cells are so. */
export function countOf(cells: readonly CellSummary[], only: Only | null): number {
  return only === null ? cells.length : cells.filter(IS[only]).length;
}

/** Names a place of the table in the page and behind the `#` of an address. */
export function anchorOf({ cells }: GridCell): string {
  return encodeURIComponent(cells[0]?.key ?? '');
}

/** The place of the table that a cell stands in. */
export function placeOf({ rows }: Grid, key: string): GridCell | undefined {
  const places = rows.flatMap((row) => [...row.cells.values()]);
  return places.find(({ cells }) => cells.some((cell) => cell.key === key));
}
