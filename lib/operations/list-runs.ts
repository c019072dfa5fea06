import { store } from '#db/open.ts';
import { originsOf, pageOfRuns, type RunFilter, type RunRecord, totalsOfRuns } from '#db/runs.ts';
import { costOfBranch } from './branch-cost.ts';
import type { RunRow } from './model.ts';

export const RUNS_PER_PAGE = 25;

export type { RunFilter };

export interface RunPage {
  runs: RunRow[];
  /** Of all pages. */
  total: number;
  diskBytes: number;
  page: number;
  pages: number;
}

function rowView(row: RunRecord, origins: ReturnType<typeof originsOf>): RunRow {
  return {
    id: row.id,
    lab: row.lab,
    scenario: row.scenario,
    title: row.title,
    createdAt: row.created_at,
    stepsDone: row.steps_done,
    stepsTotal: row.steps_total,
    finished: row.finished === 1,
    verdict: row.verdict,
    decision: row.decision,
    without: JSON.parse(row.without) as string[],
    origin: row.origin_run
      ? { run: row.origin_run, label: row.origin_label ?? '', of: origins.get(row.origin_run) ?? null }
      : null,
    costs: row.origin_run ? costOfBranch(row.id, row.steps_done) : [],
    diskBytes: row.disk_bytes,
  };
}

/**
 * One page of runs, newest first. Reads the steps of branches, and of those only what it has not read before: the page
 * costs the same whatever is stored.
 *
 * @param page counted from 1; one past the last gives the last
 */
export async function listRuns(filter: RunFilter = {}, page = 1): Promise<RunPage> {
  const db = store();
  const { runs: total, diskBytes } = totalsOfRuns(db, filter);
  const pages = Math.max(1, Math.ceil(total / RUNS_PER_PAGE));
  const shown = Math.min(Math.max(1, Math.trunc(page) || 1), pages);
  const rows = pageOfRuns(db, filter, RUNS_PER_PAGE, (shown - 1) * RUNS_PER_PAGE);
  const origins = originsOf(
    db,
    rows.flatMap((row) => row.origin_run ?? []),
  );
  return { runs: rows.map((row) => rowView(row, origins)), total, diskBytes, page: shown, pages };
}
