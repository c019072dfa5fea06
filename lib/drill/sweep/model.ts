/** The crash matrix as data: where a fault is placed, what a cell came to, what a sweep reports. */
import type { FaultAction } from '../../boundary/boundary.ts';
import type { CheckResult, Decision, Effect } from '../../evidence/model.ts';
import type { StepSpec } from '../model.ts';

/** The ways to die that a sweep tries. `hold` is no death. */
export const WAYS = ['exit', 'kill', 'abort'] as const satisfies readonly FaultAction[];
export type Way = (typeof WAYS)[number];

/** A boundary hit of one step: where a fault can be put. */
export interface Place {
  /** Label of the step. */
  step: string;
  role: string;
  at: string;
  hit: number;
}

export interface PlacedFault extends Place {
  action: Way;
}

/** A cell: one procedure, with these faults in the order in which they fire. None is the baseline. */
export interface CellPlan {
  procedure: string;
  faults: PlacedFault[];
}

export interface CellResult extends CellPlan {
  /** Unique in its sweep, equal in every sweep of the same lab: see `cellKey`. */
  key: string;
  verdict: CheckResult;
  /** Why it is not `holds`, one short line each. */
  reasons: string[];
  /** Invariants that came out violated, declared by the procedure or not. */
  violated: string[];
  /** The last decision of the operator that asked for something. */
  decision: Decision;
  effect: Effect;
  /** Changes at the target that the ground truth ascribes to an operation, at the end. */
  effects: number;
  /** Changes at the target by other actors, at the end. */
  foreign: number;
  /** Digest of the last evidence, truth included: a replay comes to the same. */
  evidence: string;
  /** Every step carried out, as it was asked for; what was seen stands in `expect`. */
  steps: StepSpec[];
  /** Boundary hits after the last fault: where the next layer puts its own. */
  reached: Place[];
  /** Executors that the cell needs, and those started for it: the others had run from an equal beginning already. */
  executors: { needed: number; started: number };
}

/** One depth of the matrix. */
export interface LayerReport {
  /** How many faults a cell of it has. */
  depth: number;
  size: number;
  cells: CellResult[];
}

export interface ProcedureReport {
  id: string;
  /** The run without a fault. */
  baseline: CellResult;
}

export interface SweepReport {
  lab: string;
  depth: number;
  without: string[];
  verdict: CheckResult;
  /** Why the sweep as a whole is not `holds`; cells have reasons of their own. */
  reasons: string[];
  /** The baseline did not come out as declared, so no fault was placed: the sentence that says so. */
  stopped: string | null;
  procedures: ProcedureReport[];
  layers: LayerReport[];
  /** Boundaries of the manifest that no process reached. */
  neverReached: { role: string; at: string }[];
  /** For each procedure and invariant that its cells may violate: in how many they do. */
  may: { procedure: string; invariant: string; cells: number }[];
  executors: { needed: number; started: number };
}

const ORDER: readonly CheckResult[] = ['holds', 'unknown', 'violated'];

/** Violated before unknown before holds. */
export function worst(results: readonly CheckResult[]): CheckResult {
  return results.reduce<CheckResult>((a, b) => (ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b), 'holds');
}

const placeKey = ({ step, role, at, hit }: Place): string => `${step}/${role}/${at}#${hit}`;

/** The same place of the same step. */
export function samePlace(a: Place, b: Place): boolean {
  return placeKey(a) === placeKey(b);
}

/** Name of a cell: `run:run/executor/after-target#1:kill`, further faults behind a `+`. */
export function cellKey({ procedure, faults }: CellPlan): string {
  return `${procedure}:${faults.map((fault) => `${placeKey(fault)}:${fault.action}`).join('+')}`;
}
