import { one, query } from '../_ui/figures.ts';

/** Letters of the columns, as the URL names them. */
export const COLUMNS = ['a', 'b', 'c', 'd'] as const;

export interface CompareParams {
  /** Ids of the runs, in the order of their columns. */
  runs: string[];
  /** Label of the step that is compared; null for the last of each. */
  step: string | null;
}

export function parseCompareParams(params: Record<string, string | string[] | undefined>): CompareParams {
  return {
    runs: COLUMNS.map((column) => one(params[column])).filter((run): run is string => !!run),
    step: one(params.step) || null,
  };
}

/** The query string that `parseCompareParams` reads back. */
export function compareQuery({ runs, step }: CompareParams): string {
  const columns = Object.fromEntries(COLUMNS.map((column, index) => [column, runs[index]]));
  return query({ ...columns, step: step ?? undefined });
}
