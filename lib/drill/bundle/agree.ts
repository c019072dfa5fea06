/**
 * A journal against the scenario and the lab beside it. What the page shows of a step (its command line above all)
 * comes from the record, so nothing may stand there that the step did not ask for or the lab does not have.
 */
import { canonicalJson } from '../../core/canonical.ts';
import { DrillError } from '../../core/errors.ts';
import type { Lab } from '../../labs/contract.ts';
import { answerFault } from '../answer.ts';
import { expectationsOf, judgeStep } from '../checks.ts';
import { armedFaults } from '../control.ts';
import type { Scenario, StepRecord, StepSpec, TraceLine } from '../model.ts';
import { clockOf, resolveArgs, savedValues } from '../resolve.ts';
import { select } from '../select.ts';
import { checkArgs, checkStep } from '../step-input.ts';
import type { Journal, JournalStep } from './model.ts';

type Faults = Generator<string, void>;

const equal = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** The parts of a step that say what was done and asked; what was expected is looked at by itself. */
function deed(step: StepSpec): unknown {
  const { expect: _, without: __, ...rest } = step;
  return rest;
}

function* argumentFaults(lab: Lab, record: StepRecord, earlier: readonly StepRecord[]): Faults {
  const { spec, label } = record;
  const said = spec.command ?? spec.damage ?? `release ${spec.release}`;
  if (record.command !== said) yield `step "${label}" is to do "${said}", and its record did another thing`;
  if (!spec.command) return;
  try {
    const asked = checkArgs(lab, spec.command, resolveArgs(spec, savedValues(earlier)));
    if (equal(asked, checkArgs(lab, spec.command, record.args))) return;
  } catch (error) {
    if (!(error instanceof DrillError)) throw error;
    yield `the arguments of step "${label}" are none of its command: ${error.message}`;
  }
  yield `the arguments of step "${label}" are not those that the step asks for`;
}

/** Safeguards that are off in a step: those of the whole run, and its own. */
function* safeguardFaults(lab: Lab, scenario: Scenario, step: StepSpec, record: StepRecord): Faults {
  const known = lab.safeguards.map(({ name }) => name);
  const stranger = record.without.find((name) => !known.includes(name));
  if (stranger !== undefined)
    yield `step "${record.label}" is without a safeguard that the lab does not have`;
  if (step.release) return;
  const declared = new Set([...(scenario.without ?? []), ...(step.without ?? [])]);
  if (!equal([...declared].sort(), [...new Set(record.without)].sort()))
    yield `the safeguards off in step "${record.label}" are not those of the scenario`;
}

function isKnown(lab: Lab, line: TraceLine): boolean {
  const roles = new Set(['executor', ...lab.boundaries.map(({ role }) => role)]);
  if (!roles.has(line.role)) return false;
  if ('commit' in line)
    return lab.commits.some(({ store, name }) => store === line.commit && name === line.name);
  const at = 'held' in line ? line.held : line.boundary;
  return lab.boundaries.some(({ name }) => name === at);
}

function* processFaults(lab: Lab, record: StepRecord): Faults {
  const { spec, label, fault, executors } = record;
  const asked = spec.release ? [] : armedFaults(spec);
  // Of a step that came to no end its control directory may be gone, and what was armed with it.
  if (!equal(fault.armed, asked) && (record.state === 'done' || fault.armed.length > 0))
    yield `the faults armed in step "${label}" are not those that the step asks for`;
  if (!fault.fired.every((fired) => fault.armed.some((armed) => equal(armed, fired))))
    yield `in step "${label}" a fault fired that was not armed`;
  if (!record.trace.every((line) => isKnown(lab, line)))
    yield `the trace of step "${label}" has a boundary, commit or role that the lab does not have`;
  const places = executors.flatMap(({ held }) => (held ? [held.at] : []));
  if (!places.every((at) => lab.boundaries.some(({ name }) => name === at)))
    yield `in step "${label}" an executor is held at a boundary that the lab does not have`;
  if (!executors.every(({ role }) => role === 'executor'))
    yield `step "${label}" has an executor of another role`;
}

function* predictionFaults({ record, prediction }: JournalStep): Faults {
  if (!prediction) return;
  const { label, spec } = record;
  if (!spec.predict || !equal(prediction.question, spec.predict))
    return yield `a prediction stands at step "${label}", which does not ask that`;
  const fault = answerFault(spec.predict, prediction.said);
  if (fault) yield `the prediction at step "${label}" is no answer to its question: ${fault}`;
  if (!equal(prediction.was, select(spec.predict.answer, record) ?? null))
    yield `what is set against the prediction at step "${label}" is not what its record shows`;
}

/**
 * What a step was expected to come to, against its own exit and reply. A scenario proposed from the run expects what
 * was seen, so its expectations may be others than the step had; but then each of them holds.
 */
function* expectationFaults(step: StepSpec, record: StepRecord): Faults {
  const { label, spec } = record;
  const told = record.expectations.map(({ result }) => result);
  const seen = expectationsOf(record).map(({ result }) => result);
  if (!equal(told, seen) && !unjudged(record))
    yield `step "${label}" did not come to what its record says that it did`;
  if (equal(step.expect ?? {}, spec.expect ?? {})) return;
  if (!expectationsOf({ ...record, spec: step }).every(({ result }) => result === 'holds'))
    yield `step "${label}" did not come to what the scenario expects of it`;
}

/** A step whose evidence could not be taken was not judged. */
const unjudged = ({ state, expectations, invariants }: StepRecord): boolean =>
  state !== 'done' && expectations.length + invariants.length === 0;

/** Records as this version of the code judges them, whatever an earlier one said when they were made. */
export function judgedAnew(lab: Lab, records: readonly StepRecord[]): StepRecord[] {
  const judged: StepRecord[] = [];
  for (const record of records) judged.push(unjudged(record) ? record : judgeStep(lab, record, judged));
  return judged;
}

/**
 * Where a record of this version of the code has other words or results than this code gives it.
 *
 * @returns what is wrong, as a part of a sentence; null where they agree
 */
export function judgedOtherwise(lab: Lab, records: readonly StepRecord[]): string | null {
  const ours = judgedAnew(lab, records);
  for (const [index, record] of records.entries()) {
    const { expectations, invariants } = ours[index] as StepRecord;
    if (!equal(expectations, record.expectations))
      return `what was expected of step "${record.label}" is told in other words than its exit and reply give`;
    if (!equal(invariants, record.invariants))
      return `the invariants after step "${record.label}" are not what its own evidence says`;
  }
  return null;
}

function* stepFaults(lab: Lab, scenario: Scenario, journal: Journal, index: number): Faults {
  const step = scenario.steps[index] as StepSpec;
  const told = journal.steps[index] as JournalStep;
  const { record } = told;
  const earlier = journal.steps.slice(0, index).map((one) => one.record);
  if (!equal(deed(step), deed(record.spec)))
    yield `step ${index + 1} of the journal is not step ${index + 1} of the scenario`;
  if (record.label !== record.spec.label) yield `step ${index + 1} of the journal has two labels`;
  try {
    checkStep(lab, record.spec, earlier);
  } catch (error) {
    if (!(error instanceof DrillError)) throw error;
    yield error.message;
  }
  if (!equal(told.before, earlier.at(-1)?.evidence ?? null))
    yield `the evidence before step "${record.label}" is not what the step before it left`;
  if (record.evidence && record.evidence.lab !== journal.run.lab)
    yield `the evidence of step "${record.label}" is of another lab`;
  if (record.now !== clockOf(record.spec, earlier))
    yield `the clock of step "${record.label}" is not the one that the step asks for`;
  yield* argumentFaults(lab, record, earlier);
  yield* safeguardFaults(lab, scenario, step, record);
  yield* processFaults(lab, record);
  yield* expectationFaults(step, record);
  yield* predictionFaults(told);
}

function* journalFaults(lab: Lab, scenario: Scenario, journal: Journal): Faults {
  const [told, asked] = [journal.steps.length, scenario.steps.length];
  if (told !== asked)
    return yield `the journal has ${told} steps and the scenario ${asked}: they are of two cases`;
  for (const index of journal.steps.keys()) yield* stepFaults(lab, scenario, journal, index);
}

/**
 * Where a journal first tells something else than the steps of the scenario, in order, each going on from the one
 * before, with names that the lab has.
 *
 * @returns what is wrong, as a part of a sentence; null where they agree
 */
export function journalFault(lab: Lab, scenario: Scenario, journal: Journal): string | null {
  return journalFaults(lab, scenario, journal).next().value ?? null;
}
