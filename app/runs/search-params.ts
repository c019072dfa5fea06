import type { CheckResult } from '#lib/evidence/model.ts';
import { one, query } from '../_ui/figures.ts';

export const VERDICTS: readonly CheckResult[] = ['holds', 'violated', 'unknown'];

/** Filters and page of the list of runs, as its URL carries them. */
export interface RunsParams {
  lab: string | null;
  scenario: string | null;
  verdict: CheckResult | null;
  finished: boolean | null;
  page: number;
}

export function parseRunsParams(params: Record<string, string | string[] | undefined>): RunsParams {
  const page = Number(one(params.page) ?? 1);
  const finished = one(params.finished);
  return {
    lab: one(params.lab) || null,
    scenario: one(params.scenario) || null,
    verdict: VERDICTS.find((verdict) => verdict === one(params.verdict)) ?? null,
    finished: finished === 'yes' ? true : finished === 'no' ? false : null,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The query string that `parseRunsParams` reads back. */
export function runsQuery({ lab, scenario, verdict, finished, page }: RunsParams): string {
  return query({
    lab: lab ?? undefined,
    scenario: scenario ?? undefined,
    verdict: verdict ?? undefined,
    finished: finished === null ? undefined : finished ? 'yes' : 'no',
    page: page === 1 ? undefined : String(page),
  });
}
