import { one, query } from '../_ui/figures.ts';

/** Which rows a layer shows: those with a cell that is so. */
export const ONLY = ['not-holds', 'violated', 'unknown', 'by-design'] as const;
export type Only = (typeof ONLY)[number];

/** What a matrix page shows, as its URL carries it. */
export interface MatrixParams {
  /** A sweep by its id; the newest of the lab if null. */
  sweep: string | null;
  /** The layer shown; the deepest begun if null. */
  layer: number | null;
  /** All rows if null. */
  only: Only | null;
  /** The cell opened below its table, by its key, with those that stand in the same place. */
  cell: string | null;
}

/** The newest sweep, whole. */
export const NEWEST: MatrixParams = { sweep: null, layer: null, only: null, cell: null };

export function parseMatrixParams(params: Record<string, string | string[] | undefined>): MatrixParams {
  const layer = Number(one(params.layer) ?? 0);
  return {
    sweep: one(params.sweep) || null,
    layer: Number.isSafeInteger(layer) && layer >= 1 && layer <= 3 ? layer : null,
    only: ONLY.find((name) => name === one(params.only)) ?? null,
    cell: one(params.cell) || null,
  };
}

/** The query string that `parseMatrixParams` reads back. */
export function matrixQuery({ sweep, layer, only, cell }: MatrixParams): string {
  return query({
    sweep: sweep ?? undefined,
    layer: layer === null ? undefined : String(layer),
    only: only ?? undefined,
    cell: cell ?? undefined,
  });
}
