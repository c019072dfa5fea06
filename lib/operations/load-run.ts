/** A run as the store has it, read in one snapshot. */
import { store } from '#db/open.ts';
import { findRun, type RunRecord, type RunSummary } from '#db/runs.ts';
import { type StepRow, stepsOf } from '#db/steps.ts';
import { DrillError } from '../core/errors.ts';
import type { Scenario, StepRecord, StepSpec } from '../drill/model.ts';
import { assessmentOf, decisionOf } from '../drill/outcome.ts';
import { type Judgment, judge } from '../drill/verdict.ts';
import type { Lab } from '../labs/contract.ts';
import { getLab } from '../labs/registry.ts';
import { snapshot } from '../sqlite/open.ts';
import { live, liveKey } from './live.ts';
import { isMe, type Owner } from './owner.ts';
import { bytesOnDisk, checkRunId, runDirectory } from './run-directory.ts';

export interface LoadedRun {
  row: RunRecord;
  lab: Lab;
  /** What the run follows and is judged by; null in free play. */
  scenario: Scenario | null;
  without: string[];
  records: StepRecord[];
  /** The step without a record, if there is one: always the last. */
  begun: StepRow | null;
  /** Owner of the last step, who also owns whatever is held. */
  owner: Owner | null;
  next: StepSpec | null;
}

export const ownerOf = (step: StepRow): Owner => ({
  pid: step.owner_pid,
  start: step.owner_start,
  boot: step.boot,
});

/** A record that the disk did not take is still known to the process that made it. */
function recordOf(step: StepRow): StepRecord | null {
  if (step.record !== null) return JSON.parse(step.record) as StepRecord;
  const kept = live().unsaved.get(liveKey(step.run));
  return kept?.seq === step.seq && isMe(ownerOf(step)) ? kept.record : null;
}

/**
 * Reads a run.
 *
 * @throws DrillError `usage` for what is no run id, `not-found` where there is no such run
 */
export function loadRun(id: string): LoadedRun {
  checkRunId(id);
  const db = store();
  const found = snapshot(db, () => ({ row: findRun(db, id), steps: stepsOf(db, id) }));
  if (!found.row) throw new DrillError('not-found', `There is no run ${id}; it may have been deleted.`);
  const { row, steps } = found;
  const scenario = row.definition && !row.departed ? (JSON.parse(row.definition) as Scenario) : null;
  const records = steps.map(recordOf).filter((record) => record !== null);
  const begun = steps.at(-1);
  return {
    row,
    lab: getLab(row.lab),
    scenario,
    without: JSON.parse(row.without) as string[],
    records,
    begun: begun && records.length < steps.length ? begun : null,
    owner: begun ? ownerOf(begun) : null,
    next: scenario?.steps[records.length] ?? null,
  };
}

export function judgeRun(run: LoadedRun): Judgment {
  return judge(run.lab, run.scenario, run.records);
}

/** The words of the run's row, from its records. */
export function summaryOf(run: LoadedRun, records: StepRecord[], holding: string[]): RunSummary {
  const judgment = judge(run.lab, run.scenario, records);
  const assessment = assessmentOf(run.lab, records);
  return {
    id: run.row.id,
    steps_done: records.length,
    finished: run.scenario && records.length >= run.scenario.steps.length ? 1 : 0,
    verdict: judgment.verdict,
    effect: assessment?.effect ?? null,
    decision: decisionOf(run.lab, records),
    disk_bytes: bytesOnDisk(runDirectory(run.row.id)),
    holding: JSON.stringify(holding),
  };
}
