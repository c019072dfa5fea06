/** One cell: a procedure with its faults, then what a correct operator does, to the end; and what came of it. */
import { digest } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import type { Lab, Procedure } from '../../labs/contract.ts';
import type { FaultSpec, StepRecord, StepSpec, TraceLine } from '../model.ts';
import { nextAction } from '../operator.ts';
import { decisionOf } from '../outcome.ts';
import { reasonWords, resultOf } from '../reasons.ts';
import { clockOf, savedNames, savedValues } from '../resolve.ts';
import { finalVerdict, judge } from '../verdict.ts';
import { type CellPlan, type CellResult, cellKey, type Place, type PlacedFault, samePlace } from './model.ts';
import { cellScenario, withSeen } from './scenario.ts';
import { type Node, START, type Walks } from './walk.ts';

/** Actions of the operator before a sweep says that no end is in sight. The longest sound cell needs a third. */
export const MAX_ACTIONS = 24;

/** Faults of one step as its file would have them: one, a list, or none. */
function faultOf(faults: readonly PlacedFault[]): Pick<StepSpec, 'fault'> {
  const list: FaultSpec[] = faults.map(({ at, hit, role, action: way }) => ({ at, hit, role, action: way }));
  if (list.length === 0) return {};
  return { fault: list.length === 1 ? (list[0] as FaultSpec) : list };
}

/** The step as a cell asks for it: expectations and questions are those of the run without a fault. */
function plain(spec: StepSpec, faults: readonly PlacedFault[]): StepSpec {
  const { expect: _expect, predict: _predict, fault: _fault, ...rest } = spec;
  return { ...rest, ...faultOf(faults.filter((fault) => fault.step === spec.label)) };
}

interface Walked {
  node: Node;
  fresh: number;
  needed: number;
  /** The operator still had something to do when the bound was reached. */
  endless: boolean;
}

async function walk(lab: Lab, procedure: Procedure, plan: CellPlan, walks: Walks): Promise<Walked> {
  const walked: Walked = { node: START, fresh: 0, needed: 0, endless: false };
  const go = async (spec: StepSpec) => {
    walked.node = await walks.step(walked.node, spec);
    const executors = spec.race?.executors ?? 1;
    walked.needed += executors;
    if (walked.node.fresh) walked.fresh += executors;
  };
  const bare = plan.faults.length === 0;
  for (const spec of procedure.steps) {
    const saved = savedValues(walked.node.history);
    // What a crashed step would have answered cannot be submitted: that step falls away.
    if (!savedNames(spec).every((name) => Object.hasOwn(saved, name))) continue;
    await go(bare ? withoutQuestion(spec) : plain(spec, plan.faults));
  }
  for (let action = 1; ; action += 1) {
    const next = nextAction(lab, walked.node.history);
    if (!next) return walked;
    if (action > MAX_ACTIONS) return { ...walked, endless: true };
    const { command, args, now } = next;
    await go(plain({ label: `next-${action}`, command, args, ...clock(now, walked.node) }, plan.faults));
  }
}

/** The clock is named only where it moves. */
function clock(now: number, { history }: Node): Pick<StepSpec, 'now'> {
  return now === clockOf({ label: '' }, history) ? {} : { now };
}

function withoutQuestion({ predict: _predict, ...spec }: StepSpec): StepSpec {
  return spec;
}

const isAt = (line: TraceLine, place: Place): boolean =>
  'boundary' in line && line.boundary === place.at && line.hit === place.hit && line.role === place.role;

/** Boundary hits after the last fault has fired, in the order of the trace, each place once. */
function reachedAfter(history: readonly StepRecord[], faults: readonly PlacedFault[]): Place[] {
  const last = faults.at(-1);
  const from = last ? history.findIndex((record) => record.label === last.step) : 0;
  if (from === -1) return [];
  const places: Place[] = [];
  history.slice(from).forEach((record, index) => {
    const start = last && index === 0 ? record.trace.findIndex((line) => isAt(line, last)) : -1;
    if (last && index === 0 && start === -1) return;
    for (const line of record.trace.slice(start + 1)) {
      if (!('boundary' in line)) continue;
      const place = { step: record.label, role: line.role, at: line.boundary, hit: line.hit };
      const taken = [...places, ...faults].some((other) => samePlace(other, place));
      if (!taken) places.push(place);
    }
  });
  return places;
}

function effectsOf(history: readonly StepRecord[]): { effects: number; foreign: number } {
  const changes = history.at(-1)?.evidence?.truth ?? [];
  const effects = changes.filter((change) => change.operation !== null).length;
  return { effects, foreign: changes.length - effects };
}

/** Digest of the last evidence of a history. */
export function evidenceDigest(history: readonly StepRecord[]): string {
  return digest((history.at(-1)?.evidence ?? null) as unknown as Json);
}

/**
 * Runs one cell and judges it by the lab's invariants, by what its procedure declares and by its last evidence.
 *
 * @param walks shared by all cells of a sweep
 * @returns what came of it; throws only where a step cannot be asked for
 */
export async function runCell(
  lab: Lab,
  procedure: Procedure,
  plan: CellPlan,
  walks: Walks,
): Promise<CellResult> {
  const { node, fresh, needed, endless } = await walk(lab, procedure, plan, walks);
  const { history } = node;
  const violated = lab.invariants
    .map(({ id }) => id)
    .filter((id) => history.some((r) => r.invariants.some((i) => i.id === id && i.result === 'violated')));
  const key = cellKey(plan);
  const steps = history.map((record) => (plan.faults.length === 0 ? record.spec : withSeen(record)));
  const declared = plan.faults.length === 0 ? [] : violated.filter((id) => procedure.may.includes(id));
  const { effect } = history.at(-1)?.assessment ?? lab.assess(history);
  const scenario = cellScenario(lab, procedure, { ...plan, key, steps, violated: declared, effect });
  const judged = judge(lab, scenario, history);
  // The check says the same; this says how long it was tried.
  const reasons = judged.reasons
    .filter((reason) => resultOf(reason) !== 'holds')
    .map((reason) => reasonWords(lab, reason));
  if (endless) reasons.unshift(`after ${MAX_ACTIONS} actions the operator still had something to do`);
  return {
    ...plan,
    key,
    verdict: finalVerdict(judged),
    reasons,
    violated,
    decision: decisionOf(history) ?? 'none',
    effect,
    ...effectsOf(history),
    evidence: evidenceDigest(history),
    steps,
    reached: reachedAfter(history, plan.faults),
    executors: { needed, started: fresh },
  };
}
