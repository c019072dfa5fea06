/** Why a run has its verdict: values, and the one function that puts them into words. */
import type { Fault } from '../boundary/boundary.ts';
import type { CheckResult } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import { checkSentence } from './check-sentence.ts';
import type { Check } from './model.ts';

/** Of a run; `in progress` until its last step is done. */
export type Verdict = CheckResult | 'in progress';

export type Reason =
  | { kind: 'invariant-violated' | 'invariant-unknown'; invariant: string; step: string; figures: string }
  /** A counterexample holds because of it. */
  | { kind: 'declared-violation' | 'declared-unknown'; invariant: string; step: string; figures: string }
  | {
      kind: 'declaration-missed';
      invariant: string;
      declared: 'violated' | 'unknown';
      found: CheckResult;
      /** `unknown` where a step that was not carried out may be why. */
      result: 'violated' | 'unknown';
    }
  | { kind: 'check'; result: 'violated' | 'unknown'; check: Check; figures: string }
  | { kind: 'expectation'; result: 'violated' | 'unknown'; step: string; what: string; figures: string }
  | { kind: 'step-failed' | 'step-interrupted'; step: string; why: string }
  | { kind: 'fault-not-fired'; step: string; fault: Fault }
  | { kind: 'still-held'; step: string }
  | { kind: 'steps-missing'; count: number }
  | { kind: 'steps-to-go'; count: number };

/** What a reason makes of a verdict on its own. */
export function resultOf(reason: Reason): Verdict {
  switch (reason.kind) {
    case 'invariant-violated':
      return 'violated';
    case 'declaration-missed':
    case 'check':
    case 'expectation':
      return reason.result;
    case 'declared-violation':
    case 'declared-unknown':
      return 'holds';
    case 'steps-to-go':
      return 'in progress';
    case 'invariant-unknown':
    case 'step-failed':
    case 'step-interrupted':
    case 'fault-not-fired':
    case 'still-held':
    case 'steps-missing':
      return 'unknown';
  }
}

/** True where the machine or the dashboard failed, and not the lab. */
export const isMachine = ({ kind }: Reason): boolean => kind === 'step-failed' || kind === 'step-interrupted';

const steps = (count: number): string => `${count} ${count === 1 ? 'step' : 'steps'}`;

/** A fault as it is written on the command line: `receiver/after-commit#2:kill`. */
export function faultName({ at, hit, role, action }: Fault): string {
  const whose = role === 'executor' ? '' : `${role}/`;
  return `${whose}${at}${hit === 1 ? '' : `#${hit}`}${action === 'exit' ? '' : `:${action}`}`;
}

/**
 * A reason as one sentence, for pages, reports, JUnit and the command line.
 *
 * @param lab names its invariants
 */
export function reasonWords(lab: Pick<Lab, 'invariants'>, reason: Reason): string {
  const named = (id: string): string => {
    const found = lab.invariants.find((one) => one.id === id);
    return found ? `“${found.says}” (${id})` : id;
  };
  switch (reason.kind) {
    case 'invariant-violated':
      return `${named(reason.invariant)} is violated since step "${reason.step}": ${reason.figures}`;
    case 'invariant-unknown':
      return `${named(reason.invariant)} is unknown since step "${reason.step}": ${reason.figures}`;
    case 'declared-violation':
      return `${named(reason.invariant)} is violated since step "${reason.step}", as declared: ${reason.figures}`;
    case 'declared-unknown':
      return `${named(reason.invariant)} is unknown since step "${reason.step}", as declared: ${reason.figures}`;
    case 'declaration-missed':
      return `${named(reason.invariant)} is declared ${reason.declared}, but the result is: ${reason.found}`;
    case 'check':
      return `${checkSentence(reason.check).replace(/\.$/, '')}: ${reason.figures}`;
    case 'expectation':
      return `Step "${reason.step}", ${reason.what}: ${reason.figures}`;
    case 'step-failed':
      return `Step "${reason.step}" could not be carried out: ${reason.why}`;
    case 'step-interrupted':
      return `Step "${reason.step}" was interrupted: ${reason.why}`;
    case 'fault-not-fired':
      return `Step "${reason.step}" never reached its fault ${faultName(reason.fault)}`;
    case 'still-held':
      return `Step "${reason.step}" still holds a process at the end`;
    case 'steps-missing':
      return `The run cannot go on; ${steps(reason.count)} did not run`;
    case 'steps-to-go':
      return `${steps(reason.count)} to go`;
  }
}
