/** Settles what a dead owner left of one run (docs/design.md, "A run survives the dashboard"). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { store } from '#db/open.ts';
import { type ProcessRow, processesOf } from '#db/processes.ts';
import { markLost, updateSummary } from '#db/runs.ts';
import { finishStep, type StepRow } from '#db/steps.ts';
import { judgeStep, unjudged } from '../drill/checks.ts';
import { Control } from '../drill/control.ts';
import { databaseDir, rawDir } from '../drill/engine.ts';
import type { ExecutorEnd, StepFacts, StepRecord, StepSpec } from '../drill/model.ts';
import { clockOf, resolveArgs, savedValues } from '../drill/resolve.ts';
import { copyRaw } from '../evidence/files.ts';
import { groupMembers, isAlive, killGroup, killProcess } from '../executor/processes.ts';
import { commit } from '../sqlite/open.ts';
import { type LoadedRun, summaryOf } from './load-run.ts';
import { isMe, me, ownerLives } from './owner.ts';
import { runDirectory } from './run-directory.ts';

/** How long the kernel may take to end processes that were sent SIGKILL, in milliseconds. */
const END_DEADLINE_MS = 5_000;
const POLL_MS = 5;

/** True for a process that was given this run's control directory: a lab's own child whose parent has ended. */
function belongsTo(pid: number, dir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DRILL_CONTROL=${dir}`);
  } catch {
    return false;
  }
}

/** Pids that still live of an executor's group. A group whose number another program has taken since is not ours. */
function survivors(row: ProcessRow, dir: string): number[] {
  if (isAlive(row.pid, row.start_time)) return groupMembers(row.pgid);
  return groupMembers(row.pgid).filter((pid) => belongsTo(pid, dir));
}

/**
 * Ends whatever lives of the executors recorded for a run.
 *
 * @returns pids that were still there after the deadline: a process in an uninterruptible wait
 */
async function endProcesses(run: LoadedRun): Promise<number[]> {
  // Another boot's pids say nothing about this one's processes.
  if (run.owner?.boot !== me().boot) return [];
  const dir = runDirectory(run.row.id);
  const rows = processesOf(store(), run.row.id);
  for (const row of rows) {
    if (isAlive(row.pid, row.start_time)) killGroup(row.pgid);
    else for (const pid of survivors(row, dir)) killProcess(pid);
  }
  const deadline = Date.now() + END_DEADLINE_MS;
  let left = rows.flatMap((row) => survivors(row, dir));
  while (left.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    left = rows.flatMap((row) => survivors(row, dir));
  }
  return left;
}

function endOf(row: ProcessRow): ExecutorEnd {
  return {
    role: 'executor',
    pid: row.pid,
    code: null,
    signal: null,
    timedOut: false,
    held: null,
    reply: null,
    stdout: '',
    stderr: '',
  };
}

function argsOf(spec: StepSpec, history: readonly StepRecord[]): StepRecord['args'] {
  try {
    return resolveArgs(spec, savedValues(history));
  } catch {
    return spec.args ?? {};
  }
}

/** What a step's control directory still shows of it. */
function traceOf(spec: StepSpec, dir: string): Pick<StepFacts, 'trace' | 'fault'> {
  if (spec.release || !existsSync(dir)) return { trace: [], fault: { armed: [], fired: [] } };
  const control = new Control(dir, spec);
  const trace = control.trace();
  return { trace, fault: { armed: control.faults, fired: control.fired(trace) } };
}

/** The record of a step that has none, from what survived it: processes, trace and databases. */
export function recordWithoutReply(
  run: LoadedRun,
  step: Pick<StepRow, 'seq'> & { spec: StepSpec },
  outcome: { state: 'interrupted' | 'failed'; error: string },
): StepRecord {
  const { spec, seq } = step;
  const dir = runDirectory(run.row.id);
  const record: StepFacts = {
    label: spec.label,
    spec,
    ...outcome,
    command: spec.command ?? spec.damage ?? `release ${spec.release}`,
    args: argsOf(spec, run.records),
    now: clockOf(spec, run.records),
    without: [...new Set([...run.without, ...(spec.without ?? [])])],
    executors: processesOf(store(), run.row.id, seq).map(endOf),
    fault: { armed: [], fired: [] },
    trace: [],
    evidence: null,
  };
  try {
    Object.assign(record, traceOf(spec, join(dir, 'control', String(seq))));
    const files = run.lab.stores.map((one) => one.file);
    if (existsSync(databaseDir(dir))) copyRaw(files, databaseDir(dir), rawDir(dir, seq));
    record.evidence = run.lab.readEvidence(databaseDir(dir));
    return judgeStep(run.lab, record, run.records);
  } catch (error) {
    record.error = `${outcome.error} Its evidence could not be taken: ${(error as Error).message}`;
    return unjudged(record);
  }
}

function interruption(step: StepRow, started: boolean, left: readonly number[]): string {
  const who = `The program that ran this step (process ${step.owner_pid}) ended before the result was recorded.`;
  const what = started
    ? 'Its executors were ended and evidence was taken from what they left.'
    : 'No executor had been given work.';
  const stuck = left.length > 0 ? ` Still there: process ${left.join(', ')}.` : '';
  return `${who} ${what} The step was not run again.${stuck}`;
}

/**
 * Settles a run whose last owner is dead: a step without a record becomes `interrupted`, held executors are lost.
 * Does nothing while the owner lives. Two programs that settle the same run write one record.
 *
 * @returns whether anything was settled; the run is to be loaded again then
 */
export async function recoverRun(run: LoadedRun): Promise<boolean> {
  const { owner, begun } = run;
  if (!owner || isMe(owner) || ownerLives(owner)) return false;
  const holding = JSON.parse(run.row.holding) as string[];
  if (!begun && holding.length === 0) return false;
  const left = await endProcesses(run);
  const db = store();
  const record = begun ? interruptedRecord(run, begun, left) : null;
  const records = record ? [...run.records, record] : run.records;
  const summary = summaryOf(run, records, [], holding.length > 0 || run.row.lost === 1);
  commit(db, 'dashboard', 'step-interrupted', {}, () => {
    if (begun && record) {
      finishStep(db, {
        run: begun.run,
        seq: begun.seq,
        state: 'interrupted',
        record: JSON.stringify(record),
      });
    }
    updateSummary(db, summary);
    if (holding.length > 0) markLost(db, run.row.id);
  });
  return true;
}

function interruptedRecord(run: LoadedRun, begun: StepRow, left: readonly number[]): StepRecord {
  const started = processesOf(store(), begun.run, begun.seq).length > 0;
  return recordWithoutReply(
    run,
    { seq: begun.seq, spec: JSON.parse(begun.spec) as StepSpec },
    { state: 'interrupted', error: interruption(begun, started, left) },
  );
}
