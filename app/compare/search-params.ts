import { one, query } from '../_ui/figures.ts';

/** Letters of the columns, as the URL names them. */
export const COLUMNS = ['a', 'b', 'c', 'd'] as const;

/** Letters that would come after them: runs for which there is no column. */
const BEYOND = ['e', 'f', 'g', 'h'];

export interface CompareParams {
  /** Ids of the runs, in the order of their columns. */
  runs: string[];
  /** Label of the step that is compared; null for the last of each. */
  step: string | null;
}

type Given = Record<string, string | string[] | undefined>;

/** How many runs the URL names beyond those that fit. */
export function beyondColumns(params: Given): number {
  return BEYOND.filter((letter) => one(params[letter])).length;
}

export function parseCompareParams(params: Given): CompareParams {
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
