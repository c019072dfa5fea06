/** Parent side of a lab: what `manifest.ts` exports (docs/design.md, "Words"). A new lab is one folder and
 * one line in `registry.ts`. */
import type { z } from 'zod';
import type { JsonObject } from '../core/json.ts';
import type { StepRecord, StepSpec } from '../drill/model.ts';
import type { Headlines } from '../evidence/headline.ts';
import type { CheckResult, Decision, Effect, Evidence, PanelId } from '../evidence/model.ts';

export interface StoreSpec {
  id: string;
  /** File name inside the run's directory. */
  file: string;
  /** Tables that make the file a database of this lab: one without them is never taken for an empty one. */
  tables: readonly string[];
  /** Columns, as `table.column`, that name a process: once it has ended, what they hold changes nothing any more. */
  holders?: readonly string[];
  /** Panels with rows that are read from it: where it is gone, they are not empty but unknown. */
  panels: readonly PanelId[];
  /** Those of them where rows of another store are found through this one too. */
  joins?: readonly PanelId[];
}

export interface LaneSpec {
  id: string;
  store: string;
  title: string;
  /** Whose colour the dots take. */
  panel: PanelId;
}

/** A commit of the lab, by the name given to `committed`; drawn as one dot on each lane named. */
export interface CommitSpec {
  name: string;
  store: string;
  /** Lanes that get a dot, with the words beside the first. */
  lanes: string[];
  label: string;
  /** Commands in whose course it is made: the map draws what a crash kept from being committed. */
  commands?: string[];
}

export interface BoundarySpec {
  name: string;
  /** Role of the process that reaches it; `executor` unless a lab's own child does. */
  role: string;
  /** Inside a transaction with the write lock held, or outside any. */
  lock: 'held' | 'free';
  /** The commit that it stands beside, and on which side. */
  commit?: string;
  side?: 'before' | 'after';
  /** What a crash here shows. */
  shows: string;
  /** Only reached with this safeguard off. */
  onlyWithout?: string;
}

export interface CommandSpec {
  name: string;
  summary: string;
  /** Arguments by name. Becomes flags on the command line and fields in free play. */
  args: z.ZodObject;
  /** `observe` writes nothing; `trap` is something people do and should not (shown as what it is). */
  kind: 'act' | 'recover' | 'observe' | 'trap' | 'other-actor';
  /** With `plan`-like commands standard output is this reply member alone, to be redirected into a file. */
  printsReply?: boolean;
}

export interface DamageSpec {
  name: string;
  summary: string;
  /** Needs the raw copy taken at an earlier label (`from`). */
  needsFrom?: boolean;
  /** Stores that it touches. */
  stores: string[];
}

export interface SafeguardSpec {
  name: string;
  /** One line: what it prevents. */
  prevents: string;
  /** Scenarios with a race that notice its absence whoever wins: all racers are held after what they looked up. */
  certainIn?: readonly string[];
}

/** One invariant about evidence after a step, kept by every sound run. */
export interface Invariant {
  id: string;
  says: string;
  /** It judges what the replies of a step say of the effect: where it fails, that was said and is not known. */
  judgesReplies?: true;
  /**
   * @param history every finished step so far, oldest first; the last one is being judged
   * @returns `unknown` where the evidence cannot say (a store that is gone), with the two figures compared
   */
  check(history: readonly StepRecord[]): Judgement;
}

export interface Judgement {
  result: CheckResult;
  /** The figures compared, as short as "1 effect, 1 intent". */
  detail: string;
}

/** How an operator reads one step, in plain words; the ground truth is not consulted. */
export interface Assessment {
  effect: Effect;
  decision: Decision;
  /** The effect happened and was reversed since; it stays `confirmed`. */
  undone?: true;
  /** Nothing was submitted so far: there is no effect to look for and nothing to decide. */
  asked?: false;
  /** "A receipt with this proposal's digest, committed together with version 2." */
  survived: string;
  /** "`pending`. A retry on that word would have been a guess." */
  recordAlone: string;
}

/** An operation that nobody could decide from what the lab can read. */
export interface Investigation {
  operation: string;
  /** What is unknown, as "whether the change of this operation exists". */
  effect: string;
  /** The evidence that is missing. */
  missing: string;
  /** Where one would find it. */
  where: string;
}

/** Sentences beside the evidence, by the panel that they are about. */
export type Remarks = Partial<Record<PanelId, string>>;

export interface Procedure {
  id: string;
  title: string;
  steps: StepSpec[];
  /** Invariants (invariant ids) that a cell may violate by design; each in at least one, never in the baseline. */
  may: string[];
}

export interface Lab {
  id: string;
  title: string;
  summary: string;
  /** What a person must not take from this lab. */
  provesNot: string[];
  /** What stands for something real, in one line that is shown beside every run. */
  simulates?: string;
  stores: StoreSpec[];
  lanes: LaneSpec[];
  commits: CommitSpec[];
  boundaries: BoundarySpec[];
  commands: CommandSpec[];
  /** Its commands read the logical clock: `now` of a step, `--now` by hand. */
  clock?: true;
  /** Its commands record their own process: a sweep starts one for each step, since no other can stand in for it. */
  freshProcess?: true;
  damages: DamageSpec[];
  safeguards: SafeguardSpec[];
  /** Reads the databases through read-only connections; a missing store is a fact, never an error. */
  readEvidence(dir: string): Evidence;
  /** What has to be said beside a panel wherever its evidence is shown; nothing that varies from run to run. */
  remarks?(evidence: Evidence): Remarks;
  /** Stores that nobody who decides can ask: while a question is open, what they hold is not shown. */
  unasked?: readonly string[];
  /** What each panel says first, in this lab's own words. */
  headlines?: Headlines;
  invariants: Invariant[];
  assess(history: readonly StepRecord[]): Assessment;
  procedures: Procedure[];
  /**
   * What a correct operator does now, or null for nothing more. Sees evidence without its ground truth.
   *
   * @param saved values that the procedure's steps saved, by name
   */
  next(
    evidence: Evidence,
    clock: number,
    saved: JsonObject,
    history: readonly StepRecord[],
  ): NextAction | null;
  /** Ordered scenarios with minutes, for a workshop. */
  playlist: { scenario: string; minutes: number }[];
  /** Members of arguments that name an intent; `operation` where it says nothing. */
  intentArgs?: readonly string[];
  /** What its operations make at the target where they make things; else they make changes. */
  makes?: { one: string; many: string /** By row key. */; is(key: string): boolean };
  /** Programs in its folder that its executors start as their own children, as `receiver.ts`. */
  children?: readonly string[];
  /** What nobody could decide so far; each is ended by recovery or by `resolve`. */
  investigations?(history: readonly StepRecord[]): Investigation[];
  /** What a person does about an open investigation, a line each. */
  runbook?: readonly string[];
  /** The published document, from real processes: `drill oracle <lab>`. Loaded only when asked. */
  oracle?(): Promise<OracleSpec>;
}

/** A published document's name, scenarios to run, and how their records become the document. */
export interface OracleSpec {
  scenarios: string[];
  document(records: Record<string, readonly StepRecord[]>): JsonObject;
}

export interface NextAction {
  command: string;
  args: JsonObject;
  now: number;
}
