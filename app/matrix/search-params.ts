import { one, query } from '../_ui/figures.ts';

/** What a matrix page shows, as its URL carries it. */
export interface MatrixParams {
  /** A sweep by its id; the newest of the lab if null. */
  sweep: string | null;
  /** The layer shown; the deepest begun if null. */
  layer: number | null;
  /** Only rows with something that does not hold, or that is violated by design. */
  odd: boolean;
  /** The cell opened below the table, by its key. */
  cell: string | null;
}

export function parseMatrixParams(params: Record<string, string | string[] | undefined>): MatrixParams {
  const layer = Number(one(params.layer) ?? 0);
  return {
    sweep: one(params.sweep) || null,
    layer: Number.isSafeInteger(layer) && layer >= 1 && layer <= 3 ? layer : null,
    odd: one(params.only) === 'odd',
    cell: one(params.cell) || null,
  };
}

/** The query string that `parseMatrixParams` reads back. */
export function matrixQuery({ sweep, layer, odd, cell }: MatrixParams): string {
  return query({
    sweep: sweep ?? undefined,
    layer: layer === null ? undefined : String(layer),
    only: odd ? 'odd' : undefined,
    cell: cell ?? undefined,
  });
}
