/** A run that begins with a history: a branch, or a case that was imported. */
import { reveal } from '#db/bundles.ts';
import { store } from '#db/open.ts';
import { findRun, insertRun, markDeleting, type NewRun, type RunRecord, updateSummary } from '#db/runs.ts';
import { finishStep, insertStep } from '#db/steps.ts';
import { DrillError } from '../core/errors.ts';
import type { Scenario, StepRecord } from '../drill/model.ts';
import type { Lab } from '../labs/contract.ts';
import { commit, type Db, translate } from '../sqlite/open.ts';
import { finishDeletion } from './delete-run.ts';
import { summaryOf } from './load-run.ts';
import { me } from './owner.ts';
import { runDirectory } from './run-directory.ts';

export interface PlacedRun {
  row: Omit<NewRun, 'judgement'>;
  lab: Lab;
  scenario: Scenario | null;
  records: readonly StepRecord[];
  /** Fills the run's directory. */
  fill(dir: string): void;
  /** Further rows, in the commit that lets the run be seen. */
  besides?(db: Db): void;
}

function writeSteps(db: Db, run: string, records: readonly StepRecord[]): void {
  const own = me();
  records.forEach((record, index) => {
    const seq = index + 1;
    insertStep(db, {
      run,
      seq,
      label: record.label,
      spec: JSON.stringify(record.spec),
      owner_pid: own.pid,
      owner_start: own.start,
      boot: own.boot,
    });
    finishStep(db, { run, seq, state: record.state, record: JSON.stringify(record) });
  });
}

/**
 * Puts a run with its steps into the store and its files beside it. The row is there first, marked as one to be
 * deleted: a crash before the last commit leaves what the next start sweeps away, never half a run.
 *
 * @throws DrillError `unavailable` where store or directory cannot be written; nothing is left then
 */
export function placeRun({ row, lab, scenario, records, fill, besides }: PlacedRun): void {
  const db = store();
  try {
    commit(db, 'dashboard', 'run-placing', {}, () => {
      insertRun(db, { ...row, judgement: '{}' });
      markDeleting(db, row.id);
    });
    const dir = runDirectory(row.id);
    fill(dir);
    const whole: RunRecord = {
      ...row,
      judgement: '{}',
      departed: 0,
      steps_done: 0,
      finished: 0,
      verdict: 'in progress',
      effect: null,
      decision: null,
      disk_bytes: 0,
      holding: '[]',
      lost: 0,
      deleting: 0,
    };
    const without = JSON.parse(row.without) as string[];
    const empty = { records: [], begun: null, owner: null, next: null };
    const loaded = { row: whole, lab, scenario, began: scenario, without, ...empty };
    const summary = summaryOf(loaded, [...records], []);
    commit(db, 'dashboard', 'run-placed', {}, () => {
      writeSteps(db, row.id, records);
      besides?.(db);
      updateSummary(db, summary);
      reveal(db, row.id);
    });
  } catch (error) {
    if (!findRun(db, row.id)) finishDeletion(row.id);
    const known = translate(error);
    if (known instanceof DrillError) throw known;
    throw new DrillError('unavailable', `The run could not be put in place: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
