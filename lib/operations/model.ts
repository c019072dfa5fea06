/** What operations give to pages and to the command line. Serializable, and nothing else. */

import type { Json } from '../core/json.ts';
import type { Check, InvariantResult, Scenario, StepRecord, StepSpec } from '../drill/model.ts';
import type { Reason, Verdict } from '../drill/reasons.ts';
import type { CheckResult, Decision, Effect } from '../evidence/model.ts';
import type { Stuck } from './load-run.ts';

export interface CheckView {
  check: Check;
  /** The sentence shown: the check's own `says`, else one made from its parts. */
  says: string;
  result: CheckResult;
  /** The two figures compared: "2 -> 2". */
  detail: string;
}

export interface InvariantView extends InvariantResult {
  /** Result over the whole run: violated if any step was, else unknown if any, else holds. */
  declared: 'violates' | 'unknown' | null;
  /** Label of the first step at which it was not `holds`. */
  since: string | null;
}

export interface RunView {
  id: string;
  lab: string;
  /** null for free play. */
  scenario: Scenario | null;
  title: string;
  without: string[];
  createdAt: string;
  /** Steps with a record, in order of `seq` (1-based position in this array). */
  steps: StepRecord[];
  /** The step that the next advance would run; null at the end, and always null in free play. */
  next: StepSpec | null;
  /** The number an action must name: one more than the steps begun so far. */
  nextSeq: number;
  /** The step whose process is at work now. */
  running: { seq: number; label: string; waiting: boolean } | null;
  /** Labels of steps that hold an executor now. */
  holding: string[];
  /** A held executor was lost with its owner: this run cannot go on, a new one can. */
  lost: boolean;
  /** Why this run cannot go on, and the step that a branch can begin after. */
  stuck: Stuck | null;
  verdict: Verdict;
  /** What the verdict rests on, the worst first; `reasonWords` puts them into words. */
  reasons: Reason[];
  checks: CheckView[];
  invariants: InvariantView[];
  effect: Effect | null;
  decision: Decision | null;
  origin: { run: string; label: string } | null;
  /** The run that this one branches from has been deleted. */
  originDeleted: boolean;
  /** Runs that branch from this one, oldest first, with the step after which they do. */
  branches: { run: string; label: string; title: string }[];
  /** Set for a run that came in a bundle: it is shown, and never gone on with. */
  imported: ImportedView | null;
  /** The imported run whose scenario this run repeats. */
  replays: string | null;
  diskBytes: number;
  predictions: PredictionView[];
}

/** What wrote the bundle that a run came in. */
export interface ImportedView {
  version: string;
  /** False where other code than this wrote it. */
  sameCode: boolean;
  node: string;
  sqlite: string;
}

/** What a person said would happen at a step; null where the question was skipped. */
export interface PredictionView {
  seq: number;
  value: Json;
}

export interface RunRow {
  id: string;
  lab: string;
  scenario: string | null;
  title: string;
  createdAt: string;
  stepsDone: number;
  stepsTotal: number | null;
  finished: boolean;
  verdict: Verdict;
  decision: Decision | null;
  without: string[];
  origin: ListedOrigin | null;
  /** What the decisions of a branch cost, in plain words; of any other run nothing is said. */
  costs: string[];
  diskBytes: number;
}

/** Where a listed branch comes from. */
export interface ListedOrigin {
  run: string;
  label: string;
  /** Title and time of the run it branches from; null where that has been deleted. */
  of: { title: string; createdAt: string } | null;
}

/** A server action's plain answer: expected refusals are values, never exceptions. */
export type ActionResult<T = object> =
  | ({ ok: true } & T)
  | { ok: false; error: string; code: string; definite: boolean };
