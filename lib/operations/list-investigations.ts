/** What nobody could decide, over all runs: a task for a person, with where to look. */
import { ownersOf, runsInDoubt, setOwner } from '#db/investigations.ts';
import { store } from '#db/open.ts';
import { DrillError } from '../core/errors.ts';
import { openOutcome } from '../drill/outcome.ts';
import type { Investigation } from '../labs/contract.ts';
import { loadRun } from './load-run.ts';

const MOST_RUNS = 500;
const MOST_OWNER = 80;

export interface OpenInvestigation extends Investigation {
  run: string;
  title: string;
  lab: string;
  /** Label of the step since which it is open; null where no step left it open by itself. */
  since: string | null;
  /** Free text; empty where nobody has taken it. */
  owner: string;
  runbook: readonly string[];
}

/** Every open investigation of the newest runs in doubt; a run that cannot be read is left out. */
export async function listInvestigations(): Promise<OpenInvestigation[]> {
  const db = store();
  return runsInDoubt(db, MOST_RUNS).flatMap((id): OpenInvestigation[] => {
    let run: ReturnType<typeof loadRun>;
    try {
      run = loadRun(id);
    } catch (error) {
      if (error instanceof DrillError) return [];
      throw error;
    }
    const { lab, records, row } = run;
    const owners = ownersOf(db, id);
    const since = openOutcome(records)?.label ?? null;
    return (lab.investigations?.(records) ?? []).map((one) => ({
      ...one,
      run: id,
      title: row.title,
      lab: lab.id,
      since,
      owner: owners.get(one.operation) ?? '',
      runbook: lab.runbook ?? [],
    }));
  });
}

/**
 * Names who looks into an operation of a run.
 *
 * @throws DrillError `not-found` where the run has no such open investigation, `malformed` for a longer name than fits
 */
export async function ownInvestigation(id: string, operation: string, owner: string): Promise<void> {
  if (owner.length > MOST_OWNER)
    throw new DrillError('malformed', `An owner has ${MOST_OWNER} characters at most.`);
  const { lab, records } = loadRun(id);
  if (!lab.investigations?.(records).some((one) => one.operation === operation))
    throw new DrillError('not-found', `Run ${id} has no open investigation of "${operation.slice(0, 80)}".`);
  setOwner(store(), { run: id, operation, owner });
}
