/**
 * A journal against the scenario and the lab beside it. What the page shows of a step (its command line above all)
 * comes from the record, so nothing may stand there that the step did not ask for or the lab does not have.
 */
import { canonicalJson } from '../../core/canonical.ts';
import { DrillError } from '../../core/errors.ts';
import type { Lab } from '../../labs/contract.ts';
import { answerFault } from '../answer.ts';
import { expectationsOf } from '../checks.ts';
import { armedFaults } from '../control.ts';
import type { Scenario, StepFacts, StepSpec, TraceLine } from '../model.ts';
import { clockOf, resolveArgs, savedValues } from '../resolve.ts';
import { checkArgs, checkStep } from '../step-input.ts';
import type { JournalFile } from './model.ts';

type Faults = Generator<string, void>;
type Step = JournalFile['steps'][number];

const equal = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** The parts of a step that say what was done and asked; what was expected is looked at by itself. */
function request(step: StepSpec): unknown {
  const { expect: _, without: __, ...rest } = step;
  return rest;
}

function* argumentFaults(lab: Lab, record: StepFacts, earlier: readonly StepFacts[]): Faults {
  const { spec, label } = record;
  const asked = spec.command ?? spec.damage ?? `release ${spec.release}`;
  if (record.command !== asked)
    yield `step "${label}" asks for "${asked}", and its record did "${record.command}"`;
  if (!spec.command) return;
  try {
    const wanted = checkArgs(lab, spec.command, resolveArgs(spec, savedValues(earlier)));
    if (equal(wanted, checkArgs(lab, spec.command, record.args))) return;
  } catch (error) {
    if (!(error instanceof DrillError)) throw error;
    yield `the arguments of step "${label}" are not those of its command: ${error.message}`;
  }
  yield `the arguments of step "${label}" are not those that the step asks for`;
}

/** Safeguards that are off in a step: those of the whole run, and its own. */
function* safeguardFaults(lab: Lab, scenario: Scenario, step: StepSpec, record: StepFacts): Faults {
  const known = lab.safeguards.map(({ name }) => name);
  if (record.without.some((name) => !known.includes(name)))
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

function* processFaults(lab: Lab, record: StepFacts): Faults {
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

function* predictionFaults({ record, prediction }: Step): Faults {
  if (!prediction) return;
  const { label, spec } = record;
  if (!spec.predict) return yield `there is a prediction for step "${label}", which asks nothing`;
  const fault = answerFault(spec.predict, prediction.said);
  if (fault) yield `the prediction for step "${label}" does not answer its question: ${fault}`;
}

/** A scenario proposed from the run expects what was seen, so its expectations may differ; but then each holds. */
function* expectationFaults(step: StepSpec, record: StepFacts): Faults {
  if (equal(step.expect ?? {}, record.spec.expect ?? {})) return;
  if (!expectationsOf({ ...record, spec: step }).every(({ result }) => result === 'holds'))
    yield `the end of step "${record.label}" is not what the scenario expects of it`;
}

function* stepFaults(lab: Lab, scenario: Scenario, journal: JournalFile, index: number): Faults {
  const step = scenario.steps[index] as StepSpec;
  const written = journal.steps[index] as Step;
  const { record } = written;
  const earlier = journal.steps.slice(0, index).map((one) => one.record);
  if (!equal(request(step), request(record.spec)))
    yield `step ${index + 1} of the journal is not step ${index + 1} of the scenario`;
  if (record.label !== record.spec.label) yield `step ${index + 1} of the journal has two labels`;
  try {
    checkStep(lab, record.spec, earlier);
  } catch (error) {
    if (!(error instanceof DrillError)) throw error;
    yield error.message;
  }
  if (record.evidence && record.evidence.lab !== journal.run.lab)
    yield `the evidence of step "${record.label}" is of another lab`;
  if (record.now !== clockOf(record.spec, earlier))
    yield `the clock of step "${record.label}" is not the one that the step asks for`;
  yield* argumentFaults(lab, record, earlier);
  yield* safeguardFaults(lab, scenario, step, record);
  yield* processFaults(lab, record);
  yield* expectationFaults(step, record);
  yield* predictionFaults(written);
}

function* journalFaults(lab: Lab, scenario: Scenario, journal: JournalFile): Faults {
  const [written, asked] = [journal.steps.length, scenario.steps.length];
  if (written !== asked)
    return yield `the journal has ${written} steps and the scenario ${asked}: they are of two cases`;
  for (const index of journal.steps.keys()) yield* stepFaults(lab, scenario, journal, index);
}

/**
 * Where a journal first tells something else than the steps of the scenario, in order, each going on from the one
 * before, with names that the lab has.
 *
 * @returns what is wrong, as a part of a sentence; null where they agree
 */
export function journalFault(lab: Lab, scenario: Scenario, journal: JournalFile): string | null {
  return journalFaults(lab, scenario, journal).next().value ?? null;
}
