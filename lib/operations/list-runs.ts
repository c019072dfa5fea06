import { store } from '#db/open.ts';
import { pageOfRuns, type RunFilter, type RunRecord, totalsOfRuns } from '#db/runs.ts';
import type { RunRow } from './model.ts';

export const RUNS_PER_PAGE = 50;

export type { RunFilter };

export interface RunPage {
  runs: RunRow[];
  /** Of all pages. */
  total: number;
  diskBytes: number;
  page: number;
  pages: number;
}

function rowView(row: RunRecord): RunRow {
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
    origin: row.origin_run ? { run: row.origin_run, label: row.origin_label ?? '' } : null,
    diskBytes: row.disk_bytes,
  };
}

/**
 * One page of runs, newest first. Reads no step: the page costs the same whatever is stored.
 *
 * @param page counted from 1; one past the last gives the last
 */
export async function listRuns(filter: RunFilter = {}, page = 1): Promise<RunPage> {
  const db = store();
  const { runs: total, diskBytes } = totalsOfRuns(db, filter);
  const pages = Math.max(1, Math.ceil(total / RUNS_PER_PAGE));
  const shown = Math.min(Math.max(1, Math.trunc(page) || 1), pages);
  const rows = pageOfRuns(db, filter, RUNS_PER_PAGE, (shown - 1) * RUNS_PER_PAGE);
  return { runs: rows.map(rowView), total, diskBytes, page: shown, pages };
}
