/** One step of a run: intent, processes, result, each committed before what follows (docs/design.md). */
import { bundleOf } from '#db/bundles.ts';
import { store, withoutDiskWait } from '#db/open.ts';
import { insertProcess } from '#db/processes.ts';
import { markDeparted, type RunSummary, updateSummary } from '#db/runs.ts';
import { finishStep, insertStep } from '#db/steps.ts';
import { DrillError } from '../core/errors.ts';
import { judgeStep } from '../drill/checks.ts';
import { type ProcessIdentity, RunSession } from '../drill/engine.ts';
import type { StepRecord, StepSpec } from '../drill/model.ts';
import { resolveArgs, savedValues } from '../drill/resolve.ts';
import { checkArgs, checkStep } from '../drill/step-input.ts';
import { commit } from '../sqlite/open.ts';
import { readyExecutor } from './executors.ts';
import { viewOf } from './get-run.ts';
import { inLine, live, liveKey } from './live.ts';
import { type Judgement, type LoadedRun, loadRun, summaryOf } from './load-run.ts';
import type { RunView } from './model.ts';
import { isMe, me } from './owner.ts';
import { recordWithoutReply, recoverRun } from './recover-run.ts';
import { checkRunId, runDirectory } from './run-directory.ts';

export interface StepOutcome {
  view: RunView;
  /** False where the step was recorded or running already: this call started nothing. */
  started: boolean;
}

export interface ChosenStep {
  spec: StepSpec;
  /** The scenario has no such step: from here on the run is free play. */
  departs: boolean;
}

/** A step that a caller asks for. */
export interface StepRequest {
  /** Names the step, from the run as it is when its turn has come. */
  choose(run: LoadedRun): ChosenStep;
  /** Whether a step that is recorded under this number already is the one that the caller asks for. */
  isSame(spec: StepSpec, run: LoadedRun): boolean;
}

/**
 * Carries out step `seq` of a run, once. A repeated call returns what is recorded and starts nothing.
 *
 * @throws DrillError `conflict` where another step has this number, `stale` where the run is not at that step,
 *   `refused` where it cannot go on, `busy` where another program works on it, `usage` or `malformed` for a step that
 *   cannot be asked for; nothing was started
 */
export async function performStep(id: string, seq: number, request: StepRequest): Promise<StepOutcome> {
  checkRunId(id);
  if (!Number.isSafeInteger(seq) || seq < 1)
    throw new DrillError('usage', 'A step has a number, counted from 1.');
  return inLine(id, async () => {
    let run = loadRun(id);
    if (await recoverRun(run)) run = loadRun(id);
    const begun = run.records.length + (run.begun ? 1 : 0);
    if (seq <= begun) return recorded(run, seq, request);
    requireReady(run, seq, begun);
    const { spec, departs } = request.choose(run);
    checkSpec(run, spec);
    saveKept(run);
    if (!begin(run, seq, spec, departs)) return recorded(loadRun(id), seq, request);
    if (departs) run = { ...run, row: { ...run.row, departed: 1, steps_total: null }, scenario: null };
    return { view: viewOf(await carryOut(run, seq, spec)), started: true };
  });
}

/** The answer to a repeated call. Another step under the same number is no repetition. */
function recorded(run: LoadedRun, seq: number, request: StepRequest): StepOutcome {
  const spec = run.records[seq - 1]?.spec ?? (JSON.parse(run.begun?.spec ?? 'null') as StepSpec | null);
  if (spec && !request.isSame(spec, run)) {
    throw new DrillError(
      'conflict',
      `Step ${seq} of this run is "${spec.label}", which was started elsewhere; yours was not run. Load the page again and decide anew.`,
    );
  }
  return { view: viewOf(run), started: false };
}

function requireReady(run: LoadedRun, seq: number, begun: number): void {
  if (live().ending) throw new DrillError('busy', 'This program is ending. Nothing was started.');
  if (bundleOf(store(), run.row.id)) {
    throw new DrillError(
      'refused',
      'This run was imported and is only shown. Replay it to run its scenario here; the replay can be branched from.',
    );
  }
  if (seq > begun + 1) {
    throw new DrillError(
      'stale',
      `This run is at step ${begun + 1}, not at step ${seq}. Load the page again.`,
    );
  }
  if (run.begun) {
    const who = run.owner ? ` by process ${run.owner.pid}` : '';
    throw new DrillError('busy', `Step "${run.begun.label}" is still running${who}. Nothing was started.`);
  }
  const { stuck } = JSON.parse(run.row.judgement) as Judgement;
  if (stuck) {
    const from = stuck.branchAfter ? `Branch after step "${stuck.branchAfter}", or start` : 'Start';
    throw new DrillError('refused', `This run cannot go on. ${stuck.why} ${from} a new run.`);
  }
  if (run.row.holding !== '[]' && run.owner && !isMe(run.owner)) {
    throw new DrillError(
      'refused',
      `Process ${run.owner.pid} holds an executor of this run; only that process can go on with it.`,
    );
  }
}

/** Everything that can be wrong with a step, before anything is written or started. */
function checkSpec(run: LoadedRun, spec: StepSpec): void {
  checkStep(run.lab, spec, run.records);
  if (spec.command) checkArgs(run.lab, spec.command, resolveArgs(spec, savedValues(run.records)));
  const holding = JSON.parse(run.row.holding) as string[];
  if (spec.release && !holding.includes(spec.release)) {
    throw new DrillError(
      'stale',
      `Step "${spec.release}" holds no process now, so there is nothing to release.`,
    );
  }
}

function isConstraint(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_CONSTRAINT');
}

/** Commits the intent. False where another program was first with this step. */
function begin(run: LoadedRun, seq: number, spec: StepSpec, departs: boolean): boolean {
  const db = store();
  const own = me();
  const names = { before: 'before-step-intent-commit', after: 'after-step-intent' };
  try {
    commit(db, 'dashboard', 'step-intent', names, () => {
      if (departs) markDeparted(db, run.row.id);
      insertStep(db, {
        run: run.row.id,
        seq,
        label: spec.label,
        spec: JSON.stringify(spec),
        owner_pid: own.pid,
        owner_start: own.start,
        boot: own.boot,
      });
    });
    return true;
  } catch (error) {
    if (isConstraint(error)) return false;
    const why = (error as Error).message;
    throw new DrillError(
      'unavailable',
      `The step was not started, since its intent could not be recorded. ${why}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Survives the death of this process, not a power cut: after one the pids belong to nobody, and the wait for the disk
 * would stand before every step.
 */
function recordProcesses(run: string, seq: number, processes: readonly ProcessIdentity[]): void {
  const db = store();
  const names = { before: 'before-step-processes-commit', after: 'after-step-processes' };
  withoutDiskWait(db, () =>
    commit(db, 'dashboard', 'step-processes', names, () => {
      for (const { pid, startTime, group } of processes) {
        insertProcess(db, run, seq, { pid, start_time: startTime, pgid: group });
      }
    }),
  );
}

/** @returns the run with the result, as it is stored */
async function carryOut(run: LoadedRun, seq: number, spec: StepSpec): Promise<LoadedRun> {
  const { sessions, slots, waiting } = live();
  const key = liveKey(run.row.id);
  const done = await slots.take(spec.race?.executors ?? 1, () => waiting.add(key));
  waiting.delete(key);
  let session = sessions.get(key);
  let record: StepRecord;
  try {
    session ??= new RunSession({
      lab: run.lab,
      dir: runDirectory(run.row.id),
      without: run.without,
      start: readyExecutor,
      onStart: (step, processes) => recordProcesses(run.row.id, step, processes),
    });
    sessions.set(key, session);
    record = await session.runStep(spec, run.records);
  } catch (error) {
    const why = `It could not be carried out: ${(error as Error).message}`;
    record = recordWithoutReply(run, { seq, spec }, { state: 'failed', error: why });
  } finally {
    done();
  }
  // The next start finds the step interrupted, which is what it is.
  if (live().ending) return loadRun(run.row.id);
  const holding = session?.holding() ?? [];
  if (holding.length === 0) {
    sessions.delete(key);
    await session?.dispose();
  }
  return finish(run, seq, record, holding);
}

/** Commits the result. Where the disk does not take it, this process keeps it, and says so in the record. */
function finish(run: LoadedRun, seq: number, record: StepRecord, holding: string[]): LoadedRun {
  try {
    const summary = write(run, seq, record, [...run.records, record], holding);
    live().unsaved.delete(liveKey(run.row.id));
    return withRecord(run, record, summary);
  } catch (error) {
    const why = `It was carried out, but its result could not be recorded: ${(error as Error).message}`;
    const failed = judgeStep(run.lab, { ...record, state: 'failed', error: why }, run.records);
    live().unsaved.set(liveKey(run.row.id), { seq, record: failed });
    console.error(`${run.row.id}, step ${seq}: ${why}`);
    return withRecord(run, failed, summaryOf(run, [...run.records, failed], holding));
  }
}

function withRecord(run: LoadedRun, record: StepRecord, summary: RunSummary): LoadedRun {
  const records = [...run.records, record];
  const next = run.scenario?.steps[records.length] ?? null;
  return { ...run, row: { ...run.row, ...summary }, records, begun: null, owner: me(), next };
}

function write(
  run: LoadedRun,
  seq: number,
  record: StepRecord,
  all: StepRecord[],
  holding: string[],
): RunSummary {
  const db = store();
  const summary = summaryOf(run, all, holding);
  const names = { before: 'before-step-result-commit', after: 'after-step-result' };
  commit(db, 'dashboard', 'step-result', names, () => {
    const { state } = record;
    finishStep(db, { run: run.row.id, seq, state, record: JSON.stringify(record) });
    updateSummary(db, summary);
  });
  return summary;
}

/** A result that this process kept is written before the run goes on: a step never follows one without a record. */
function saveKept(run: LoadedRun): void {
  const kept = live().unsaved.get(liveKey(run.row.id));
  if (!kept) return;
  try {
    const holding = live().sessions.get(liveKey(run.row.id))?.holding() ?? [];
    write(run, kept.seq, kept.record, run.records, holding);
    live().unsaved.delete(liveKey(run.row.id));
  } catch (error) {
    const why = (error as Error).message;
    throw new DrillError('unavailable', `The result of step ${kept.seq} still cannot be recorded. ${why}`, {
      cause: error,
    });
  }
}
