/** Steps and runs as data: what a scenario asks for, and what was recorded. */
import type { Fault, FaultAction } from '../boundary/boundary.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { CheckResult, Evidence, PanelId } from '../evidence/model.ts';
import type { Assessment } from '../labs/contract.ts';

export interface FaultSpec {
  at: string;
  hit?: number;
  role?: string;
  action?: FaultAction;
}

/** Where a figure is read: from the reply, the exit, a cell, a count, or the ground truth's changes. */
export type Selector =
  | { reply: string }
  | { exit: true }
  | { panel: PanelId; row: string; cell: string }
  | { panel: PanelId; count: true; store?: string }
  | { truth: 'changes'; operation?: string }
  | { invariant: 'violated' };

export interface Predict {
  question: string;
  kind: 'number' | 'choice';
  options?: { value: Json; text: string }[];
  answer: Selector;
  because: string;
}

export interface Expect {
  exit?: number;
  signal?: string;
  held?: boolean;
  /** A subset of the reply: every member named must be equal. */
  reply?: JsonObject;
  /** For a race: how many executors ended so, by exit code or signal name. */
  exits?: Record<string, number>;
}

export interface StepSpec {
  label: string;
  /** Exactly one of `command`, `release` and `damage`. */
  command?: string;
  args?: JsonObject;
  saves?: string;
  now?: number;
  fault?: FaultSpec | FaultSpec[];
  race?: { executors: number; at: string };
  without?: string[];
  release?: string;
  /** With `release`: end the held processes there instead of letting them go on. */
  action?: 'kill';
  /** With `release`: only the held processes of this role; the others stay held. */
  role?: string;
  damage?: string;
  /** With `damage`: the label whose raw copy is put back. */
  from?: string;
  expect?: Expect;
  predict?: Predict;
}

export type Check =
  | { at: string; panel: PanelId; row: string; cell: string; equals: Json; says?: string }
  | { at: string; panel: PanelId; count: number; store?: string; says?: string }
  | { unchanged: PanelId; from: string; to: string; says?: string }
  | { at: string; changes: number; operation?: string; says?: string }
  | { at: string; settled: boolean; says?: string };

export interface ScenarioText {
  title: string;
  question: string;
  story: string;
  lesson: string;
  /** What counts as having understood it, in one line. */
  understood?: string;
}

export interface Scenario {
  /** `<lab>/<name>` */
  id: string;
  lab: string;
  text: ScenarioText;
  without?: string[];
  steps: StepSpec[];
  checks: Check[];
  /** Invariants (invariant ids) that must come out violated: a counterexample. */
  violates?: string[];
  /** Invariants that must come out unknown. */
  unknown?: string[];
}

/** A child's end, as separate facts. */
export interface ExecutorEnd {
  role: string;
  pid: number;
  /** null while held, or where a signal ended it. */
  code: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Stopped at a boundary and still alive: the executor, or a child of its that has outlived it. */
  held: { at: string; hit: number } | null;
  /** An earlier step has recorded its end; in this step only what it left behind was released. */
  endedBefore?: boolean;
  /** Could not be started, or was ended by us because another could not be. */
  notStarted?: string;
  reply: JsonObject | null;
  /** Last kilobytes of both streams, as text. */
  stdout: string;
  stderr: string;
}

export type TraceLine =
  | { boundary: string; hit: number; role: string; pid: number }
  | { commit: string; name: string; role: string; pid: number }
  | { held: string; hit: number; role: string; pid: number };

export interface ExpectationResult {
  what: string;
  result: CheckResult;
  detail: string;
}

export interface InvariantResult {
  id: string;
  result: CheckResult;
  detail: string;
}

/** What a step changed about the outcome that a caller without an answer left open. */
export type OutcomeChange =
  | { kind: 'opened' }
  | {
      kind: 'closed';
      /** Label of the step that left it open. */
      opened: string;
      effect: 'confirmed' | 'absent';
      /** False for a claim: the reply is wrong, or nobody can check it. */
      known: boolean;
      /** The command that established it; null for a recovery. */
      by: string | null;
    };

/** What happened in a step: what was asked, how each executor ended, what an independent reader found. */
export interface StepFacts {
  label: string;
  spec: StepSpec;
  /** `done`: finished; `failed`: could not be carried out (see `error`); `interrupted`: its owner died. */
  state: 'done' | 'failed' | 'interrupted';
  error?: string;
  command: string;
  /** Arguments as run, saved values filled in. */
  args: JsonObject;
  now: number;
  without: string[];
  executors: ExecutorEnd[];
  fault: { armed: Fault[]; fired: Fault[] };
  trace: TraceLine[];
  evidence: Evidence | null;
}

/** A finished step with its judgement, made once when it ended. */
export interface StepRecord extends StepFacts {
  expectations: ExpectationResult[];
  invariants: InvariantResult[];
  /** How an operator reads it; null where it left no evidence. */
  assessment: Assessment | null;
  outcome: OutcomeChange | null;
}
