/** The verdict of a run against what its scenario declares (DESIGN.md, "Words"). */
import type { CheckResult } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import { checkSentence } from './check-sentence.ts';
import { evaluateCheck } from './checks.ts';
import type { Check, InvariantResult, Scenario, StepRecord } from './model.ts';

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
  verdict: CheckResult;
  checks: CheckVerdict[];
  invariants: InvariantVerdict[];
  /** Why the verdict is not `holds`, one short line each. */
  reasons: string[];
}

/**
 * The first step that the machine failed; the number of steps where it failed none. An interrupted step is none: its
 * owner was ended, and what the scenario says of it still stands to be seen.
 */
function firstFailed(records: readonly StepRecord[]): number {
  const found = records.findIndex((record) => record.state === 'failed');
  return found === -1 ? records.length : found;
}

/** What came out otherwise at a step, or after one, that the machine failed tells nothing about the lab. */
function softened(result: CheckResult, at: number, failed: number): CheckResult {
  return result === 'violated' && at >= failed ? 'unknown' : result;
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

function invariantReason(s: InvariantVerdict): { result: CheckResult; reason: string } | null {
  if (s.declared === 'violates') {
    if (s.result === 'violated') return null;
    return { result: 'violated', reason: `declared as violated, but it came out ${s.result}: ${s.id}` };
  }
  if (s.declared === 'unknown') {
    if (s.result === 'unknown') return null;
    return { result: 'violated', reason: `declared as unknown, but it came out ${s.result}: ${s.id}` };
  }
  if (s.result === 'holds') return null;
  return { result: s.result, reason: `${s.id} is ${s.result} since ${s.since}: ${s.detail}` };
}

/** A check that does not hold, in its own words, with the two figures compared. */
export function checkReason({ check, detail }: CheckVerdict): string {
  return `${checkSentence(check).replace(/\.$/, '')}: ${detail}`;
}

function stepReasons(
  records: readonly StepRecord[],
  failed: number,
): { result: CheckResult; reason: string }[] {
  const reasons: { result: CheckResult; reason: string }[] = [];
  for (const [index, record] of records.entries()) {
    for (const expectation of record.expectations) {
      if (expectation.result === 'holds') continue;
      const reason = `step ${record.label}, ${expectation.what}: ${expectation.detail}`;
      reasons.push({ result: softened(expectation.result, index, failed), reason });
    }
    if (record.state !== 'done')
      reasons.push({ result: 'unknown', reason: `step ${record.label} is ${record.state}` });
    for (const fault of record.fault.armed) {
      if (
        record.fault.fired.some(
          (fired) => fired.at === fault.at && fired.hit === fault.hit && fired.role === fault.role,
        )
      )
        continue;
      reasons.push({
        result: 'unknown',
        reason: `step ${record.label}: the fault at ${fault.at} fired in no executor`,
      });
    }
  }
  return reasons;
}

/**
 * Judges a run.
 *
 * @param scenario what was declared; null for free play, which has invariants alone
 * @param records the steps so far, in order
 */
export function judge(lab: Lab, scenario: Scenario | null, records: readonly StepRecord[]): Judgment {
  const finished = scenario ? records.length >= scenario.steps.length : true;
  const failed = firstFailed(records);
  const checks = (scenario?.checks ?? []).map((check) => {
    const { result, detail } = evaluateCheck(lab, check, records, finished);
    return { check, result: softened(result, lastOf(check, records), failed), detail };
  });
  const invariants = lab.invariants.map(({ id }) => overall(id, records, scenario));
  const found = stepReasons(records, failed);
  for (const check of checks) {
    if (check.result !== 'holds') found.push({ result: check.result, reason: checkReason(check) });
  }
  for (const one of invariants) {
    const reason = invariantReason(one);
    // Before the end a declared violation may still be to come.
    if (reason && !finished && one.declared && one.result === 'holds')
      found.push({ ...reason, result: 'unknown' });
    // A declaration needs every step to come true; what the evidence violates stands all the same.
    else if (reason && one.declared && one.result !== 'violated' && failed < records.length)
      found.push({ ...reason, result: 'unknown' });
    else if (reason) found.push(reason);
  }
  if (!finished) {
    const left = (scenario?.steps.length ?? 0) - records.length;
    found.push({ result: 'unknown', reason: `${left} ${left === 1 ? 'step' : 'steps'} to go` });
  }
  const verdict = found.some((r) => r.result === 'violated')
    ? 'violated'
    : found.length > 0
      ? 'unknown'
      : 'holds';
  return { verdict, checks, invariants, reasons: found.map((r) => r.reason) };
}
