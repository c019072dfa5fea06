/** A run as the store has it, read in one snapshot. */
import { store } from '#db/open.ts';
import { findRun, type RunRecord, type RunSummary } from '#db/runs.ts';
import { type StepRow, stepsOf } from '#db/steps.ts';
import { DrillError } from '../core/errors.ts';
import { heldAfter } from '../drill/holding.ts';
import type { Scenario, StepRecord, StepSpec } from '../drill/model.ts';
import { assessmentOf, decisionOf } from '../drill/outcome.ts';
import { resolveArgs, savedValues } from '../drill/resolve.ts';
import { checkArgs, checkStep } from '../drill/step-input.ts';
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
  /** The scenario that it began with, also where it is free play by now. */
  began: Scenario | null;
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
  const began = row.definition ? (JSON.parse(row.definition) as Scenario) : null;
  const scenario = row.departed ? null : began;
  const records = steps.map(recordOf).filter((record) => record !== null);
  const begun = steps.at(-1);
  const run: LoadedRun = {
    row,
    lab: getLab(row.lab),
    scenario,
    began,
    without: JSON.parse(row.without) as string[],
    records,
    begun: begun && records.length < steps.length ? begun : null,
    owner: begun ? ownerOf(begun) : null,
    next: scenario?.steps[records.length] ?? null,
  };
  // The disk did not take the last result, so its judgement is in no row either.
  const unsaved = steps.some((step) => step.record === null) && run.begun === null;
  if (unsaved) Object.assign(row, summaryOf(run, records, JSON.parse(row.holding) as string[]));
  return run;
}

/** Why a run cannot go on, and the last step that one can branch from. */
export interface Stuck {
  why: string;
  /** null where only a new run helps. */
  branchAfter: string | null;
}

/** Why the step that would follow cannot be asked for; null where it can. */
function nextFault(lab: Lab, next: StepSpec, records: readonly StepRecord[]): string | null {
  try {
    checkStep(lab, next, records);
    if (next.command) checkArgs(lab, next.command, resolveArgs(next, savedValues(records)));
  } catch (error) {
    if (error instanceof DrillError) return error.message;
    throw error;
  }
  if (!next.release || heldAfter(records).includes(next.release)) return null;
  return `Step "${next.release}" holds no process, so step "${next.label}" has nothing to release.`;
}

/**
 * Whether a run can go on.
 *
 * @param lost a held executor was lost with the program that owned it
 * @returns null where it can
 */
function stuckOf(run: LoadedRun, records: readonly StepRecord[], lost: boolean): Stuck | null {
  const next = run.scenario?.steps[records.length];
  const fault = next ? nextFault(run.lab, next, records) : null;
  const why = lost ? 'A held process was lost with the program that owned it.' : fault;
  if (why === null) return null;
  const bad = records.findIndex((record) => record.state !== 'done');
  const good = records.slice(0, bad === -1 ? records.length : bad);
  const last = good.findLastIndex((_, index) => heldAfter(good.slice(0, index + 1)).length === 0);
  return { why, branchAfter: good[last]?.label ?? null };
}

/** A run's judgement as it is stored: made when a step ends, never when a page is shown. */
export interface Judgement extends Judgment {
  stuck: Stuck | null;
}

/** The words of the run's row, from its records. */
export function summaryOf(
  run: LoadedRun,
  records: StepRecord[],
  holding: string[],
  lost = run.row.lost === 1,
): RunSummary {
  const stuck = stuckOf(run, records, lost);
  const judgement: Judgement = { ...judge(run.lab, run.scenario, records, stuck !== null), stuck };
  return {
    id: run.row.id,
    steps_done: records.length,
    finished: run.scenario && records.length >= run.scenario.steps.length ? 1 : 0,
    verdict: judgement.verdict,
    judgement: JSON.stringify(judgement),
    effect: assessmentOf(records)?.effect ?? null,
    decision: decisionOf(records),
    disk_bytes: bytesOnDisk(runDirectory(run.row.id)),
    holding: JSON.stringify(holding),
  };
}
