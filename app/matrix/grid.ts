/** A layer of the crash matrix as a table: rows and columns in the order of the trace. */
import type { Place, PlacedFault, Way } from '#lib/drill/sweep/model.ts';
import type { CheckResult } from '#lib/evidence/model.ts';
import type { CellSummary } from '#lib/operations/sweep-job.ts';

export interface GridCell {
  /** The worst of them first. */
  cells: CellSummary[];
  verdict: CheckResult;
  /** Something is violated, and the procedure declares that. */
  byDesign: boolean;
}

export interface GridRow {
  id: string;
  /** Where the faults before the last one are; in the first layer, where the only one is. */
  places: Place[];
  /** By column id. */
  cells: Map<string, GridCell>;
  odd: boolean;
}

export interface Grid {
  procedure: string;
  columns: { id: string; way: Way | null; place: Place | null }[];
  rows: GridRow[];
}

const RANK: Record<CheckResult, number> = { violated: 0, unknown: 1, holds: 2 };
const WAYS: readonly Way[] = ['exit', 'kill', 'abort'];
const inStep = ({ step, role, at, hit }: Place): string => `${step}/${role}/${at}#${hit}`;
const anyStep = ({ role, at, hit }: Place): string => `${role}/${at}#${hit}`;

/** Ids in the order of the list; what it does not name comes behind, as it was met. */
function inOrder<T>(items: readonly T[], id: (item: T) => string, order: readonly string[]): T[] {
  const rank = (item: T) => {
    const found = order.indexOf(id(item));
    return found === -1 ? order.length : found;
  };
  return items
    .map((item, index) => ({ item, index }))
    .sort((a, b) => rank(a.item) - rank(b.item) || a.index - b.index)
    .map(({ item }) => item);
}

function merged(cells: CellSummary[]): GridCell {
  const sorted = [...cells].sort((a, b) => RANK[a.verdict] - RANK[b.verdict]);
  const verdict = sorted[0]?.verdict ?? 'holds';
  return {
    cells: sorted,
    verdict,
    byDesign: verdict === 'holds' && cells.some((cell) => cell.violated.length > 0),
  };
}

function columnsOf(cells: readonly CellSummary[], depth: number, trace: readonly Place[]): Grid['columns'] {
  if (depth === 1) return WAYS.map((way) => ({ id: way, way, place: null }));
  const places = new Map<string, Place>();
  for (const { faults } of cells) {
    const last = faults.at(-1) as PlacedFault;
    places.set(anyStep(last), last);
  }
  const columns = [...places].map(([id, place]) => ({ id, way: null, place }));
  return inOrder(columns, ({ id }) => id, trace.map(anyStep));
}

/**
 * @param trace boundary hits of the procedure without a fault, in their order
 * @param odd only rows in which something does not hold or is violated by design
 */
export function gridOf(
  procedure: string,
  depth: number,
  all: readonly CellSummary[],
  trace: readonly Place[],
  odd: boolean,
): Grid {
  const cells = all.filter((cell) => cell.procedure === procedure);
  const rows = new Map<string, { places: Place[]; by: Map<string, CellSummary[]> }>();
  for (const cell of cells) {
    const places = depth === 1 ? cell.faults : cell.faults.slice(0, -1);
    const last = cell.faults.at(-1) as PlacedFault;
    const id = places.map(inStep).join(' + ');
    const row = rows.get(id) ?? { places, by: new Map<string, CellSummary[]>() };
    const column = depth === 1 ? last.do : anyStep(last);
    row.by.set(column, [...(row.by.get(column) ?? []), cell]);
    rows.set(id, row);
  }
  const list = [...rows].map(([id, { places, by }]): GridRow => {
    const grid = new Map([...by].map(([column, found]) => [column, merged(found)]));
    const isOdd = [...grid.values()].some((cell) => cell.verdict !== 'holds' || cell.byDesign);
    return { id, places, cells: grid, odd: isOdd };
  });
  const ordered = inOrder(list, ({ places }) => inStep(places[0] as Place), trace.map(inStep));
  return {
    procedure,
    columns: columnsOf(cells, depth, trace),
    rows: ordered.filter((row) => !odd || row.odd),
  };
}
