/** The verdict of a run against what its scenario declares. */
import type { CheckResult } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import { evaluateCheck } from './checks.ts';
import { heldAfter } from './holding.ts';
import type { Check, InvariantResult, Scenario, StepRecord } from './model.ts';
import { nextAction } from './operator.ts';
import { isMachine, type Reason, resultOf, type Verdict } from './reasons.ts';

export interface CheckVerdict {
  check: Check;
  result: CheckResult;
  detail: string;
}

export interface InvariantVerdict extends InvariantResult {
  declared: 'violates' | 'unknown' | null;
  /** Label of the first step at which it did not hold. */
  since: string | null;
}

export interface Judgment {
  verdict: Verdict;
  checks: CheckVerdict[];
  invariants: InvariantVerdict[];
  /** What the verdict rests on, the worst first: what a counterexample declares included. */
  reasons: Reason[];
}

/** The first step that was not carried out to its end; the number of steps where all were. */
function firstLost(records: readonly StepRecord[]): number {
  const found = records.findIndex((record) => record.state !== 'done');
  return found === -1 ? records.length : found;
}

/** A deviation at a step that was not carried out, or after one, says nothing about the lab. */
function softened(result: CheckResult, at: number, lost: number): CheckResult {
  return result === 'violated' && at >= lost ? 'unknown' : result;
}

/** The last step that a check looks at. */
function lastOf(check: Check, records: readonly StepRecord[]): number {
  const labels = 'unchanged' in check ? [check.from, check.to] : [check.at];
  const places = labels.map((label) =>
    label === 'end' ? records.length - 1 : records.findIndex((record) => record.label === label),
  );
  return Math.max(...places);
}

/** Over the whole run: violated once violated, else unknown if it was unknown, else holds. */
function overall(id: string, records: readonly StepRecord[], scenario: Scenario | null): InvariantVerdict {
  const declared = scenario?.violates?.includes(id)
    ? 'violates'
    : scenario?.unknown?.includes(id)
      ? 'unknown'
      : null;
  let worst: InvariantVerdict = { id, result: 'holds', detail: '', declared, since: null };
  for (const record of records) {
    const found = record.invariants.find((result) => result.id === id);
    if (!found) continue;
    const worse = found.result === 'violated' || (found.result === 'unknown' && worst.result === 'holds');
    if (worst.result !== 'violated' && worse && worst.result !== found.result) {
      worst = { ...worst, result: found.result, detail: found.detail, since: record.label };
    } else if (worst.result === 'holds') {
      worst = { ...worst, detail: found.detail };
    }
  }
  return worst;
}

function invariantReason(one: InvariantVerdict, complete: boolean): Reason | null {
  const { id: invariant, result: found, since, detail: figures } = one;
  const step = since ?? '';
  const declared = one.declared === 'violates' ? 'violated' : one.declared;
  if (declared && found === declared) {
    const kind = declared === 'violated' ? 'declared-violation' : 'declared-unknown';
    return { kind, invariant, step, figures };
  }
  if (declared) {
    // A declaration needs every step to come true; what the evidence violates is violated all the same.
    const result = found === 'violated' || complete ? 'violated' : 'unknown';
    return { kind: 'declaration-missed', invariant, declared, found, result };
  }
  if (found === 'holds') return null;
  return { kind: `invariant-${found}`, invariant, step, figures };
}

/** Free play goes on after a fault that was not reached: once a later step leaves nothing to do, it is settled. */
function settledLater(lab: Lab, records: readonly StepRecord[], index: number): boolean {
  return records.some((record, later) => {
    if (later <= index || record.state !== 'done' || !record.evidence) return false;
    const history = records.slice(0, later + 1);
    return nextAction(lab, history) === null && lab.assess(history).effect !== 'unknown';
  });
}

function stepReasons(
  lab: Lab,
  scenario: Scenario | null,
  records: readonly StepRecord[],
  lost: number,
): Reason[] {
  return records.flatMap((record, index): Reason[] => {
    const step = record.label;
    const expected = record.expectations.flatMap(({ result, what, detail }): Reason[] => {
      const soft = softened(result, index, lost);
      return soft === 'holds' ? [] : [{ kind: 'expectation', result: soft, step, what, figures: detail }];
    });
    const why = record.error ?? 'no reason was recorded';
    const failed: Reason[] = record.state === 'done' ? [] : [{ kind: `step-${record.state}`, step, why }];
    const { armed, fired } = record.fault;
    const missed = armed
      .filter((one) => !fired.some((f) => f.at === one.at && f.hit === one.hit && f.role === one.role))
      .map((fault): Reason => ({ kind: 'fault-not-fired', step, fault }));
    const settled = missed.length > 0 && scenario === null && settledLater(lab, records, index);
    return [...expected, ...failed, ...(settled ? [] : missed)];
  });
}

/** What the end of a run has to answer for. */
function endReasons(records: readonly StepRecord[], left: number, over: boolean): Reason[] {
  const held = heldAfter(records).map((step): Reason => ({ kind: 'still-held', step }));
  if (left <= 0) return held;
  return over ? [...held, { kind: 'steps-missing', count: left }] : [{ kind: 'steps-to-go', count: left }];
}

const RANK: readonly Verdict[] = ['violated', 'unknown', 'in progress', 'holds'];
const rank = (reason: Reason): number => RANK.indexOf(resultOf(reason));

/**
 * Judges a run.
 *
 * @param scenario what was declared; null for free play, which has invariants alone
 * @param records the steps so far, in order
 * @param over no step will follow, also where the scenario has more: the run cannot go on
 */
export function judge(
  lab: Lab,
  scenario: Scenario | null,
  records: readonly StepRecord[],
  over = false,
): Judgment {
  const left = (scenario?.steps.length ?? 0) - records.length;
  const finished = left <= 0;
  const lost = firstLost(records);
  const complete = finished && lost === records.length;
  const checks = (scenario?.checks ?? []).map((check) => {
    const { result, detail } = evaluateCheck(lab, check, records, finished);
    return { check, result: softened(result, lastOf(check, records), lost), detail };
  });
  const invariants = lab.invariants.map(({ id }) => overall(id, records, scenario));
  const ofSteps = stepReasons(lab, scenario, records, lost);
  const reasons = [
    ...invariants.flatMap((one) => invariantReason(one, complete) ?? []),
    ...ofSteps.filter(isMachine),
    ...endReasons(records, left, over),
    // Before the end a check that is unknown has only not been reached.
    ...checks.flatMap(({ check, result, detail }): Reason[] =>
      result === 'holds' || (result === 'unknown' && !finished)
        ? []
        : [{ kind: 'check', result, check, figures: detail }],
    ),
    ...ofSteps.filter((reason) => !isMachine(reason)),
  ].sort((a, b) => rank(a) - rank(b));
  const started = scenario !== null || records.length > 0;
  const verdict =
    (!finished && !over) || !started ? 'in progress' : reasons[0] ? resultOf(reasons[0]) : 'holds';
  return { verdict, checks, invariants, reasons };
}

/** A verdict of a run that is over. */
export const finalVerdict = ({ verdict }: Judgment): CheckResult =>
  verdict === 'in progress' ? 'unknown' : verdict;
