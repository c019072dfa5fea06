/**
 * Walks of a sweep. Cells that begin alike share their beginning: a step is looked up by the path that leads to it,
 * and an executor's work by the databases it starts from and the request it gets. Only what is new starts a process,
 * in a copy of the directory that the step before left.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../core/canonical.ts';
import { DrillError } from '../../core/errors.ts';
import { copyRaw } from '../../evidence/files.ts';
import { type Started, startExecutor } from '../../executor/launch.ts';
import { Reuse } from '../../executor/reuse.ts';
import type { Lab } from '../../labs/contract.ts';
import { judgeStep } from '../checks.ts';
import { armedFaults } from '../control.ts';
import { databaseDir, RunSession, rawDir } from '../engine.ts';
import type { StepRecord, StepSpec } from '../model.ts';
import { clockOf, resolveArgs, savedValues } from '../resolve.ts';
import type { Gate } from '../run.ts';
import { checkArgs } from '../step-input.ts';
import { namesIn, Scratch } from './scratch.ts';
import { NOTHING, type State, stateId } from './state.ts';

/** A point of a walk: the steps that led here, and what they left. */
export interface Node {
  path: string;
  history: readonly StepRecord[];
  state: State;
  /** Whether the last step started executors of its own. */
  fresh: boolean;
}

export const START: Node = { path: '', history: [], state: NOTHING, fresh: false };

export interface WalkOptions {
  lab: Lab;
  /** Scratch directory; the caller removes it. */
  dir: string;
  without?: readonly string[];
  start?: (lab: string) => Promise<Started>;
  gate?: Gate;
  /** False: every walk starts every executor of its own, and shares nothing. */
  share?: boolean;
  /** Work of other walks of the same lab, with other safeguards off; the caller closes it. */
  pool?: WorkPool;
}

/** How often a step is carried out until its faults have fired; then the cell stays unknown. */
const ATTEMPTS = 3;

interface Done {
  record: StepRecord;
  state: State;
  /** Safeguards that the step asked for; null where that is not known. */
  asked: readonly string[] | null;
}

interface Entry extends Done {
  without: readonly string[];
}

/**
 * What walks with different safeguards off share: executors, states, and steps. A step that never asked for a safeguard
 * does the same with it on and off. Who wins a race is free, so races are never shared.
 */
export class WorkPool {
  readonly executors: Reuse | null;
  readonly states = new Map<string, State>();
  private readonly entries = new Map<string, Entry[]>();

  constructor(lab: Lab, start?: (lab: string) => Promise<Started>) {
    this.executors = lab.freshProcess ? null : new Reuse(start ?? ((id) => startExecutor(id)));
  }

  /** @param key everything but the safeguards that decides what an executor does */
  find(key: string, without: readonly string[]): Done | undefined {
    const same = ({ without: off, asked }: Entry) =>
      asked?.every((name) => off.includes(name) === without.includes(name));
    return this.entries.get(key)?.find(same);
  }

  add(key: string, entry: Entry): void {
    this.entries.set(key, [...(this.entries.get(key) ?? []), entry]);
  }

  async close(): Promise<void> {
    await this.executors?.close();
  }
}

/** Steps of a sweep, each carried out once. */
export class Walks {
  private readonly options: WalkOptions;
  private readonly nodes = new Map<string, Promise<Node>>();
  private readonly done = new Map<string, Promise<Done>>();
  private readonly pool: WorkPool | null;
  private readonly ownPool: boolean;
  private readonly scratch: Scratch;
  private count = 0;
  /** Executors started so far. */
  started = 0;

  constructor(options: WalkOptions) {
    this.options = options;
    this.scratch = new Scratch(options.dir);
    this.ownPool = options.pool === undefined;
    this.pool = options.share === false ? null : (options.pool ?? new WorkPool(options.lab, options.start));
  }

  /** Ends the executors that wait for another step. */
  async close(): Promise<void> {
    if (this.ownPool) await this.pool?.close();
  }

  /**
   * Takes one step from a point.
   *
   * @returns the point reached; its last record was judged with this walk's own history
   * @throws DrillError for a step that cannot be asked for, or that leaves a process behind; `unavailable` where
   *   files were removed under the sweep
   */
  async step(from: Node, spec: StepSpec): Promise<Node> {
    const path = `${from.path}\n${canonicalJson(spec as never)}`;
    if (this.options.share === false) return this.take(from, spec, path);
    const known = this.nodes.get(path);
    // A place that was given up by whoever came first (a cancelled sweep) is not remembered.
    const node = known ?? this.remember(this.nodes, path, this.take(from, spec, path));
    return known ? { ...(await node), fresh: false } : node;
  }

  private remember<T>(map: Map<string, Promise<T>>, key: string, value: Promise<T>): Promise<T> {
    map.set(key, value);
    value.catch(() => map.delete(key));
    return value;
  }

  private async take(from: Node, spec: StepSpec, path: string): Promise<Node> {
    const { lab, share } = this.options;
    const { key, without } = this.requestKey(from, spec);
    const pooled = spec.race ? undefined : this.pool?.find(key, without);
    const known = share === false ? undefined : (this.done.get(`${key} ${without}`) ?? pooled);
    if (!known) {
      const work = this.execute(from, spec);
      const { record, state, asked } = await (share === false
        ? work
        : this.remember(this.done, `${key} ${without}`, work));
      if (!spec.race) this.pool?.add(key, { record, state, asked, without });
      return { path, history: [...from.history, record], state, fresh: true };
    }
    const { record, state } = await known;
    const off = { without: [...without] };
    // Equal work under another history: what a invariant says of it may differ, so it is judged anew.
    const own = judgeStep(lab, { ...record, ...off, label: spec.label, spec }, from.history);
    return { path, history: [...from.history, own], state, fresh: false };
  }

  /** Everything that decides what an executor does: the databases, the request, the faults. */
  private requestKey(from: Node, spec: StepSpec): { key: string; without: readonly string[] } {
    const { lab, without } = this.options;
    const args = checkArgs(lab, spec.command as string, resolveArgs(spec, savedValues(from.history)));
    const key = canonicalJson({
      state: from.state.id,
      command: spec.command as string,
      args,
      now: clockOf(spec, from.history),
      faults: armedFaults(spec) as never,
      race: (spec.race as never) ?? null,
    });
    return { key, without: [...new Set([...(without ?? []), ...(spec.without ?? [])])].sort() };
  }

  /** A step whose fault fired nowhere has tried nothing: a bound of the lab's own ran out first. It is done anew. */
  private async execute(from: Node, spec: StepSpec): Promise<Done> {
    const once = () => this.scratch.guard(() => this.executeOnce(from, spec));
    let done = await once();
    for (let more = 1; more < ATTEMPTS; more += 1) {
      const { armed, fired } = done.record.fault;
      if (armed.length === fired.length) break;
      done = await once();
    }
    return done;
  }

  private async executeOnce(from: Node, spec: StepSpec): Promise<Done> {
    const { lab, without = [], gate } = this.options;
    const kept: Started[] = [];
    const start = this.startFor(kept);
    const executors = spec.race?.executors ?? 1;
    const leave = await gate?.(executors);
    const dir = join(this.options.dir, String(this.count++));
    try {
      const files = lab.stores.map((store) => store.file);
      this.scratch.requireState(from.state);
      if (from.state.dir) copyRaw(files, from.state.dir, databaseDir(dir));
      const session = new RunSession({ lab, dir, without, ...(start ? { start } : {}) });
      const record = await session.runStep(spec, from.history);
      this.started += executors;
      if (session.holding().length > 0) {
        await session.dispose();
        throw new DrillError(
          'usage',
          `Step "${spec.label}" leaves an executor held: a procedure of a sweep ends every step, since a directory can be copied and a living process cannot.`,
        );
      }
      const seq = from.history.length + 1;
      const state = this.stateOf(dir, seq);
      // After everything that is read of the step, so that nothing is believed that was gone by then.
      this.scratch.requireStep(lab, dir, seq, from.state, record);
      const asked = this.askedOf(join(dir, 'control', String(seq)), record);
      return { record, asked, state: this.keep(dir, state) };
    } finally {
      for (const one of kept) await this.pool?.executors?.release(one);
      leave?.();
    }
  }

  /** Executors of a step, each remembered so that it can be released when the step is over. */
  private startFor(kept: Started[]): ((lab: string) => Promise<Started>) | undefined {
    const executors = this.pool?.executors;
    if (!executors) return this.options.start;
    return async (lab) => {
      const started = await executors.take(lab);
      kept.push(started);
      return started;
    };
  }

  private askedOf(control: string, record: StepRecord): readonly string[] | null {
    if (record.state !== 'done') return null;
    const file = join(control, 'asked.ndjson');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n');
    // A line without its end was cut off: the record is not complete.
    if (lines.pop() !== '') return null;
    return [...new Set(lines.map((line) => JSON.parse(line) as string))];
  }

  private stateOf(dir: string, seq: number): State {
    const raw = rawDir(dir, seq);
    return { id: stateId(this.options.lab.stores, databaseDir(dir)), dir: raw, files: namesIn(raw) };
  }

  /** Keeps the raw copy that the step took, once for each distinct state. */
  private keep(dir: string, state: State): State {
    const states = this.pool?.states ?? new Map<string, State>();
    const known = states.get(state.id);
    if (known) {
      rmSync(dir, { recursive: true, force: true });
      return known;
    }
    states.set(state.id, state);
    for (const part of [databaseDir(dir), join(dir, 'control')])
      rmSync(part, { recursive: true, force: true });
    return state;
  }
}
