/** The step engine: carries out one step of a run with real executors and records what came of it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DrillError, EXIT } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { copyRaw } from '../evidence/files.ts';
import { type Started, startExecutor } from '../executor/launch.ts';
import type { Lab } from '../labs/contract.ts';
import { judgeStep } from './checks.ts';
import { Control } from './control.ts';
import { Group } from './group.ts';
import type { StepFacts, StepRecord, StepSpec, TraceLine } from './model.ts';
import { clockOf, resolveArgs, savedValues } from './resolve.ts';
import { checkArgs, checkStep } from './step-input.ts';

/** How long a step's processes may work, in milliseconds; the clock stands still while all of them are held. */
export const STEP_DEADLINE_MS = 30_000;
const POLL_MS = 3;

export interface ProcessIdentity {
  pid: number;
  startTime: string;
  group: number;
}

export interface RunSessionOptions {
  lab: Lab;
  /** Directory of the run: `db/` the databases, `raw/<seq>/` the copies, `control/<seq>/` the control directories. */
  dir: string;
  /** Safeguards off for the whole run. */
  without?: readonly string[];
  /** Takes the identity of every process before its work begins; throwing stops the step. */
  onStart?: (seq: number, processes: ProcessIdentity[]) => void;
  /** Starts a fresh executor, or takes a ready one. */
  start?: (lab: string) => Promise<Started>;
  deadlineMs?: number;
}

interface Live {
  label: string;
  control: Control;
  groups: Group[];
  /** Trace lines already in a record. */
  seen: number;
}

interface Work {
  live: Live;
  command: string;
  args: JsonObject;
  groups: Group[];
  /** Where this step's part of the trace begins. */
  from: number;
}

/** Where the databases of a run lie. */
export const databaseDir = (runDir: string): string => join(runDir, 'db');
/** Where the raw copies taken after a step lie. */
export const rawDir = (runDir: string, seq: number): string => join(runDir, 'raw', String(seq));

/** A run in progress in this process: it owns the executors that are held between steps. */
export class RunSession {
  private readonly options: RunSessionOptions;
  private readonly live: Live[] = [];

  constructor(options: RunSessionOptions) {
    this.options = options;
    mkdirSync(databaseDir(options.dir), { recursive: true });
  }

  /** Labels of the steps that hold an executor now. */
  holding(): string[] {
    return this.live
      .filter((live) => {
        const trace = live.control.trace();
        return live.groups.some((group) => group.held(trace).length > 0);
      })
      .map((live) => live.label);
  }

  /** Ends every process that is still held. */
  async dispose(): Promise<void> {
    const groups = this.live.flatMap((live) => live.groups);
    for (const group of groups) group.kill();
    await Promise.all(groups.map((group) => group.started.end));
    this.live.length = 0;
  }

  /**
   * Carries out one step.
   *
   * @param spec the step; its label is unique in the run
   * @param history the records so far
   * @returns its record; a step that could not be carried out has `state: 'failed'` and says why
   * @throws DrillError `usage` or `malformed` for a step that cannot be asked for; nothing has happened then
   */
  async runStep(spec: StepSpec, history: readonly StepRecord[]): Promise<StepRecord> {
    const { lab, dir } = this.options;
    checkStep(lab, spec, history);
    const seq = history.length + 1;
    const args = spec.command ? checkArgs(lab, spec.command, resolveArgs(spec, savedValues(history))) : {};
    const now = clockOf(spec, history);
    const without = [...new Set([...(this.options.without ?? []), ...(spec.without ?? [])])];
    const work = spec.release
      ? this.release(spec, now)
      : await this.launch(spec, seq, { args, now, without, from: this.damageSource(spec, history) });
    await this.settle(work);
    const trace = work.live.control.trace();
    const record: StepFacts = {
      label: spec.label,
      spec,
      state: 'done',
      command: work.command,
      args: work.args,
      now,
      without,
      executors: work.groups.map((group) => group.end(trace)),
      fault: this.faults(spec, work, trace),
      trace: trace.slice(work.from),
      evidence: null,
    };
    work.live.seen = trace.length;
    for (const group of work.groups) group.told ||= group.raw !== null;
    const failed = work.groups.find((group) => group.notStarted);
    const machine = record.executors.find(({ code }) => code === EXIT.machine);
    if (failed?.notStarted) Object.assign(record, { state: 'failed', error: failed.notStarted });
    else if (machine && spec.expect?.exit !== EXIT.machine) {
      const why = machine.reply?.message;
      const error = typeof why === 'string' ? why : 'An executor ended with 74: this machine could not.';
      Object.assign(record, { state: 'failed', error });
    }
    copyRaw(
      lab.stores.map((store) => store.file),
      databaseDir(dir),
      rawDir(dir, seq),
    );
    record.evidence = lab.readEvidence(databaseDir(dir));
    return judgeStep(lab, record, history);
  }

  private faults(spec: StepSpec, work: Work, trace: readonly TraceLine[]): StepRecord['fault'] {
    if (spec.release) return { armed: [], fired: [] };
    return { armed: work.live.control.faults, fired: work.live.control.fired(trace) };
  }

  private damageSource(spec: StepSpec, history: readonly StepRecord[]): string | null {
    if (!spec.from) return null;
    return rawDir(this.options.dir, history.findIndex((record) => record.label === spec.from) + 1);
  }

  private async launch(
    spec: StepSpec,
    seq: number,
    input: { args: JsonObject; now: number; without: string[]; from: string | null },
  ): Promise<Work> {
    const { lab, dir } = this.options;
    const control = new Control(join(dir, 'control', String(seq)), spec);
    const command = spec.command ?? (spec.damage as string);
    const { groups, problem } = await this.startAll(spec.race?.executors ?? 1);
    const live: Live = { label: spec.label, control, groups, seen: 0 };
    this.live.push(live);
    const work = { live, command, args: input.args, groups, from: 0 };
    if (problem) {
      await endAll(groups, problem);
      return work;
    }
    try {
      this.options.onStart?.(
        seq,
        groups.map((group) => group.started),
      );
    } catch (error) {
      await endAll(groups, `Its start could not be recorded: ${(error as Error).message}`);
      return work;
    }
    for (const group of groups) {
      group.started.request({
        lab: lab.id,
        command,
        args: input.args,
        dir: databaseDir(dir),
        control: control.dir,
        now: input.now,
        without: input.without,
        owner: process.pid,
        ...(spec.damage ? { damage: { from: input.from } } : {}),
      });
    }
    if (spec.race) await this.releaseRace(work);
    return work;
  }

  private async startAll(count: number): Promise<{ groups: Group[]; problem: string | null }> {
    const start = this.options.start ?? startExecutor;
    const results = await Promise.allSettled(Array.from({ length: count }, () => start(this.options.lab.id)));
    const groups = results.filter((r) => r.status === 'fulfilled').map((r) => new Group(r.value));
    const failed = results.find((r) => r.status === 'rejected');
    if (!failed) return { groups, problem: null };
    if (groups.length === 0) throw failed.reason;
    const problem = `Only ${groups.length} of ${count} executors could be started; they were ended. ${failed.reason.message}`;
    return { groups, problem };
  }

  /** Waits until every executor of a race is held at its start, then lets all go at once. */
  private async releaseRace(work: Work): Promise<void> {
    const { control, groups } = work.live;
    const at = control.race?.at;
    await until(groups, this.deadline(), () => {
      const trace = control.trace();
      return groups.every(
        (group) => group.raw !== null || group.held(trace).some((place) => place.at === at),
      );
    });
    const trace = control.trace();
    for (const group of groups) {
      for (const place of group.held(trace)) {
        if (place.at !== at) continue;
        group.markReleased(place);
        control.release(place);
      }
    }
  }

  private release(spec: StepSpec, now: number): Work {
    const live = this.live.findLast((candidate) => candidate.label === spec.release);
    const trace = live?.control.trace() ?? [];
    const places = (live?.groups ?? []).flatMap((group) =>
      group
        .held(trace)
        .filter((place) => !spec.role || place.role === spec.role)
        .map((place) => ({ group, place })),
    );
    if (!live || places.length === 0) {
      throw new DrillError(
        'stale',
        `Step "${spec.release}" holds no process now, so there is nothing to release.`,
      );
    }
    live.control.setClock(now);
    for (const { group, place } of places) {
      group.markReleased(place);
      if (spec.action === 'kill') group.killOne(place.pid);
      else live.control.release(place);
    }
    const groups = [...new Set(places.map(({ group }) => group))];
    return { live, command: `release ${spec.release}`, args: {}, groups, from: live.seen };
  }

  private async settle(work: Work): Promise<void> {
    const { control } = work.live;
    const holds = control.holds();
    const deadline = this.deadline();
    if (holds.length === 0 && !control.race && work.groups.length === 1) {
      // The common case needs no polling: one executor, nothing held, the exit is the event.
      await untilEnd(work.groups, deadline);
    }
    await until(work.groups, deadline, () => {
      const trace = holds.length === 0 ? [] : control.trace();
      return work.groups.every((group) => group.quiet(trace, holds));
    });
  }

  private deadline(): number {
    return Date.now() + (this.options.deadlineMs ?? STEP_DEADLINE_MS);
  }
}

async function untilEnd(groups: readonly Group[], deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - Date.now()));
  });
  await Promise.race([Promise.all(groups.map((group) => group.started.end)), late]);
  clearTimeout(timer);
}

/** Polls until `done`, or ends what is left when the deadline has passed. */
async function until(groups: readonly Group[], deadline: number, done: () => boolean): Promise<void> {
  while (!done()) {
    if (Date.now() > deadline) {
      for (const group of groups) {
        if (group.members().length === 0) continue;
        group.timedOut = true;
        group.kill();
      }
      await Promise.all(groups.map((group) => group.started.end));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function endAll(groups: readonly Group[], reason: string): Promise<void> {
  for (const group of groups) {
    group.notStarted = reason;
    group.kill();
  }
  await Promise.all(groups.map((group) => group.started.end));
}
