/** One run of a lab: its procedure up to a crash, then the recovery, evidence after each command. */

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import { type CommandEnd, failureOf } from './command.ts';
import { Control, isCrash, type Place, type PlacedFault, type TraceLine } from './control.ts';
import { comparable, type Gap, type Observation, observe, type ProgramEvidence } from './evidence.ts';
import { allSettled, type InvariantResult, invariantsOf, type Outcome, outcomesOf } from './judge.ts';
import type { ProgramLab } from './load.ts';
import type { Reader } from './reader-client.ts';
import type { Source } from './schema.ts';
import type { RunServices } from './services.ts';
import { isOf } from './sources.ts';
import { runStep } from './step.ts';
import { type Prepared, surroundings } from './surroundings.ts';

const ROUNDS = 2;
/** Hits beyond these are not swept. */
export const MAX_HIT = 3;

/** One command of a run, in the shape of the steps on a drill page. */
export interface ProgramStep {
  label: string;
  spec: { label: string; command: string; fault?: PlacedFault[] };
  state: 'done';
  command: string;
  /** The words that were run. */
  words: string[];
  executors: (CommandEnd & { role: 'executor' })[];
  fault: { armed: PlacedFault[]; fired: PlacedFault[] };
  trace: TraceLine[];
  evidence: ProgramEvidence;
  gaps: Gap[];
  invariants: InvariantResult[];
  outcomes: Outcome[];
  /** Why the command did not end in good order, or null. */
  failure: string | null;
}

export interface RunRecord {
  steps: ProgramStep[];
  fired: PlacedFault[];
  /** Boundaries that were passed, each hit up to the third once. */
  places: Place[];
  outcomes: Outcome[];
  invariants: InvariantResult[];
  gaps: Gap[];
  /** Digest of the last evidence, ignored columns aside. */
  evidence: string;
  /** Nothing was settled after the last recovery either. */
  settled: boolean;
}

export interface RunOptions {
  prepared: Prepared;
  source: Source;
  variant: string | null;
  faults: readonly PlacedFault[];
  reader: Reader;
  /** Folder of the run, which is there for as long as the caller wants it. */
  dir: string;
}

const labelOf = (names: readonly string[], index: number, prefix: string) => {
  const name = names[index] as string;
  const before = names.slice(0, index).filter((one) => one === name).length;
  return `${prefix}${name}${before === 0 ? '' : `-${before + 1}`}`;
};

/** Labels of the steps of a procedure, in order. */
export const procedureLabels = (lab: ProgramLab): string[] =>
  lab.spec.procedure.map((_, index) => labelOf(lab.spec.procedure, index, ''));

class Run {
  readonly steps: ProgramStep[] = [];
  private readonly options: RunOptions;
  private readonly work: string;
  private readonly run: RunServices;
  private observation: Observation | null = null;

  constructor(options: RunOptions, run: RunServices) {
    this.options = options;
    this.run = run;
    this.work = join(options.dir, 'work');
  }

  /** @throws DrillError where a service is gone */
  async begin(): Promise<void> {
    const { prepared, variant, dir } = this.options;
    cpSync(prepared.beginning, this.work, { recursive: true, verbatimSymlinks: true });
    const { env, secrets } = surroundings(prepared, variant, this.run.vars());
    await this.run.begin({ dir: this.work, env, secrets, step: dir });
  }

  /** Runs one command; true where the procedure goes on. */
  private async step(name: string, label: string): Promise<ProgramStep> {
    const { prepared, source, variant, reader, dir, faults } = this.options;
    const number = String(this.steps.length + 1).padStart(2, '0');
    const armed = faults.filter((fault) => fault.step === label);
    const control = new Control(join(dir, `control-${number}`), armed);
    const spec = prepared.lab.spec.commands[name] as (typeof prepared.lab.spec.commands)[string];
    const { end, words } = await runStep({
      prepared,
      source,
      variant,
      spec,
      run: this.run,
      reader,
      control,
      work: this.work,
      id: join(dir, number),
    });
    const problem = prepared.services.problem() ?? this.run.problem();
    if (problem)
      throw new DrillError('unavailable', `In the step ${label}, ${problem}.`, { definite: false });
    const observation = await this.look(number);
    const fired = control.fired();
    const step: ProgramStep = {
      label,
      spec: { label, command: name, ...(armed.length > 0 ? { fault: armed } : {}) },
      state: 'done',
      command: name,
      words,
      executors: [{ role: 'executor', ...end }],
      fault: { armed, fired },
      trace: control.trace(),
      evidence: observation.evidence,
      gaps: observation.gaps,
      invariants: invariantsOf(prepared.lab.spec, observation, false),
      outcomes: outcomesOf(prepared.lab.spec, observation),
      failure: failureOf(words, end, spec.until?.within ?? spec.within),
    };
    this.steps.push(step);
    return step;
  }

  private async look(number: string): Promise<Observation> {
    const { prepared, variant, reader, dir } = this.options;
    const place = { dir: this.work, databases: this.run.databases };
    const around = surroundings(prepared, variant, this.run.vars());
    const commands = { ...around, cwd: this.work, step: join(dir, `${number}-read`) };
    this.observation = await observe(prepared.lab, place, reader, commands, join(dir, `raw-${number}`));
    return this.observation;
  }

  async procedure(): Promise<void> {
    const { procedure } = this.options.prepared.lab.spec;
    for (const [index, name] of procedure.entries()) {
      const step = await this.step(name, labelOf(procedure, index, ''));
      if (step.failure !== null || step.fault.fired.some(({ action }) => isCrash(action))) return;
    }
  }

  /** The caller asks again; once more where that settled nothing, and after a crash of its own. */
  async recover(): Promise<void> {
    const { recovery } = this.options.prepared.lab.spec;
    let rounds = ROUNDS;
    for (let round = 1; round <= rounds && round <= 10; round++) {
      const prefix = round === 1 ? 'recovery-' : `recovery-${round}-`;
      for (const [index, name] of recovery.entries()) {
        const step = await this.step(name, labelOf(recovery, index, prefix));
        if (!step.fault.fired.some(({ action }) => isCrash(action))) continue;
        rounds += 1;
        break;
      }
      const crashed = this.steps.at(-1)?.fault.fired.some(({ action }) => isCrash(action));
      if (!crashed && this.observation && allSettled(this.options.prepared.lab.spec, this.observation))
        return;
    }
  }

  record(): RunRecord {
    const { prepared, source } = this.options;
    const { spec } = prepared.lab;
    const last = this.observation as Observation;
    const step = this.steps.at(-1);
    // It does not wait for anything where its recovery ends with an error.
    const failed = step !== undefined && step.failure !== null && !step.executors[0]?.timedOut;
    if (step) step.invariants = invariantsOf(spec, last, true);
    return {
      steps: this.steps,
      fired: this.steps.flatMap(({ fault }) => fault.fired),
      places: placesOf(this.steps, (line) => isOf(source, line, spec.boundaries)),
      outcomes: outcomesOf(spec, last).map((one) =>
        one.why === 'waiting' && failed ? { ...one, why: 'failed' } : one,
      ),
      invariants: worstInvariants(this.steps),
      gaps: this.steps.flatMap(({ gaps }) => gaps),
      evidence: createHash('sha256').update(comparable(last.evidence, spec.ignore)).digest('hex'),
      settled: allSettled(spec, last),
    };
  }
}

/** Every invariant once: violated where it was after any step, in the words of the last such step. */
function worstInvariants(steps: readonly ProgramStep[]): InvariantResult[] {
  const order = ['holds', 'unknown', 'violated'];
  const worst = new Map<string, InvariantResult>();
  for (const one of steps.flatMap(({ invariants }) => invariants)) {
    const before = worst.get(one.id);
    if (!before || order.indexOf(one.result) >= order.indexOf(before.result)) worst.set(one.id, one);
  }
  return [...worst.values()];
}

function placesOf(steps: readonly ProgramStep[], counts: (line: TraceLine) => boolean): Place[] {
  const found = new Map<string, Place>();
  for (const { label, trace } of steps) {
    for (const line of trace) {
      if (line.hit > MAX_HIT || !counts(line)) continue;
      const place = { step: label, role: line.role, at: line.boundary, hit: line.hit };
      found.set(JSON.stringify(place), place);
    }
  }
  return [...found.values()];
}

/**
 * Runs the procedure, and after a fault the recovery.
 *
 * @returns what happened; a fault that did not fire leaves the recovery out
 * @throws DrillError `unavailable` where a service did not start or has ended
 */
export async function runOnce(options: RunOptions): Promise<RunRecord> {
  mkdirSync(options.dir, { recursive: true });
  const services = await options.prepared.services.run();
  const run = new Run(options, services);
  try {
    await run.begin();
    await run.procedure();
    if (run.steps.some(({ fault }) => fault.fired.length > 0)) await run.recover();
    return run.record();
  } finally {
    await options.reader.forget(Object.values(services.databases));
    await services.close();
  }
}

/** True while the file is the one that was loaded. */
export function isUnchanged(lab: ProgramLab): boolean {
  try {
    return createHash('sha256').update(readFileSync(lab.file)).digest('hex') === lab.digest;
  } catch {
    return false;
  }
}
