/** A scenario proposed from what a run showed: the same steps, and what was seen of them as expectations. */
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../core/json.ts';
import { type Decision, type Evidence, panel } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import { costOf } from './cost.ts';
import type { Check, ExecutorEnd, Expect, Scenario, ScenarioText, StepRecord, StepSpec } from './model.ts';
import { decisionOf } from './outcome.ts';
import { trueChanges } from './select.ts';
import { judge } from './verdict.ts';

/** What is known of a run that is to become a scenario. */
export interface ObservedRun {
  title: string;
  /** What the run followed to its end, or null in free play and where it left its scenario. */
  scenario: Scenario | null;
  /** Safeguards off for the whole run. */
  without: readonly string[];
  records: readonly StepRecord[];
}

/** Words of a reply that say what was concluded; the rest is detail that a scenario need not fix. */
const CONCLUSIONS = ['status', 'effect', 'decision', 'retryable', 'definite'];
const MAX_CELLS = 6;

/** True where the order in which executors win is free, so that only counts can be asserted. */
export function hasRace(steps: readonly StepSpec[]): boolean {
  return steps.some((step) => step.race !== undefined);
}

/** How many steps come before anything that depends on who wins a race: all of them where there is none. */
export function stepsBeforeRace(steps: readonly StepSpec[]): number {
  const race = steps.findIndex((step) => step.race !== undefined);
  return race === -1 ? steps.length : race;
}

/** The words of a reply that say what was concluded. */
export function conclusions(end: ExecutorEnd): JsonObject {
  const found = CONCLUSIONS.map((name) => [name, end.reply?.[name]] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null)) as JsonObject;
}

/** How a step came out, as its expectation; nothing for a step that did not come to an end of its own. */
function seen(record: StepRecord): Expect | undefined {
  if (record.state !== 'done') return undefined;
  const first = record.executors[0];
  if (!first || first.timedOut) return undefined;
  if (first.signal) return { signal: first.signal };
  if (first.held) return { held: true };
  if (first.code === null) return undefined;
  const reply = conclusions(first);
  return { exit: first.code, ...(Object.keys(reply).length > 0 ? { reply } : {}) };
}

/** Safeguards off in every step that could have them; what is off besides stands in the steps. */
function commonWithout(records: readonly StepRecord[]): string[] {
  const own = records.filter((record) => !record.spec.release).map((record) => record.without);
  return (own[0] ?? []).filter((name) => own.every((names) => names.includes(name)));
}

/** @param raced whether it depends on who won a race how the step comes out, even how many end in which way */
function proposedStep(record: StepRecord, common: readonly string[], raced: boolean): StepSpec {
  const { expect: _, without: __, ...spec } = record.spec;
  const expect = raced ? undefined : seen(record);
  const without = record.spec.release ? [] : record.without.filter((name) => !common.includes(name));
  return { ...spec, ...(without.length > 0 ? { without } : {}), ...(expect ? { expect } : {}) };
}

const isPlain = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Cells of the last evidence that say where things stand: the target whole, of a record its first column. */
function cellChecks(evidence: Evidence): Check[] {
  const status = panel(evidence, 'operation').columns[0];
  const checks: Check[] = panel(evidence, 'operation').rows.flatMap((row) =>
    status !== undefined && isPlain(row.cells[status])
      ? [
          {
            at: 'end',
            panel: 'operation' as const,
            row: row.key,
            cell: status,
            equals: row.cells[status] as Json,
          },
        ]
      : [],
  );
  for (const row of panel(evidence, 'target').rows) {
    const cells = Object.entries(row.cells).filter(([, value]) => isPlain(value));
    for (const [cell, equals] of cells)
      checks.push({ at: 'end', panel: 'target', row: row.key, cell, equals });
  }
  return checks.slice(0, MAX_CELLS);
}

/** Checks that the observed evidence passes: rows counted, changes counted, and the cells that say where things stand. */
export function proposeChecks(records: readonly StepRecord[]): Check[] {
  const last = records.at(-1)?.evidence;
  if (!last) return [];
  const race = hasRace(records.map((record) => record.spec));
  const stopped = records.findLast((record) => record.fault.fired.length > 0 && record.evidence !== null);
  const unchanged = (id: 'target' | 'receipts'): Check[] => {
    if (!stopped?.evidence || stopped === records.at(-1)) return [];
    const same = JSON.stringify(panel(stopped.evidence, id).rows) === JSON.stringify(panel(last, id).rows);
    return same ? [{ unchanged: id, from: stopped.label, to: 'end' }] : [];
  };
  return [
    ...(race ? [] : cellChecks(last)),
    { at: 'end', panel: 'target', count: panel(last, 'target').rows.length },
    { at: 'end', panel: 'receipts', count: panel(last, 'receipts').rows.length },
    ...(race ? [] : [...unchanged('target'), ...unchanged('receipts')]),
    {
      at: 'end',
      changes: trueChanges(last),
      says: 'Changes at the target, as the ground truth counts them',
    },
  ];
}

function stepWords(record: StepRecord): string {
  const faults = record.fault.armed.map((fault) => `${fault.action} at ${fault.at}`);
  return `${record.command}${faults.length > 0 ? ` (${faults.join(', ')})` : ''}`;
}

const DECIDED: Record<Decision, string> = {
  reconcile: 'The evidence proves the effect, so the record may be reconciled.',
  'retry-same-key': 'The evidence proves that there is no effect, so the same key may be used again.',
  investigate: 'The evidence proves neither, so a person has to look.',
  none: 'Nothing is left to decide.',
};

/** What the evidence permitted, how often the target was really changed, and what that cost. */
function understood(lab: Lab, records: readonly StepRecord[]): string {
  const last = records.at(-1)?.evidence;
  const changes = last ? trueChanges(last) : 0;
  const times = changes === 0 ? 'not changed' : changes === 1 ? 'changed once' : `changed ${changes} times`;
  const costs = costOf(lab, records);
  const cost = costs.length > 0 ? `: ${costs.join('; ')}` : '';
  return `${DECIDED[decisionOf(records) ?? 'none']} The target was ${times}${cost}.`;
}

function proposedText(lab: Lab, run: ObservedRun): ScenarioText {
  const assessment = lab.assess(run.records);
  return {
    title: run.title.slice(0, 120),
    question: 'What survived, and what does it permit?',
    story: `What was done, in order: ${run.records.map(stepWords).join(', ')}.`.slice(0, 700),
    lesson: assessment.survived.slice(0, 700),
    understood: understood(lab, run.records).slice(0, 300),
  };
}

/**
 * Proposes a scenario that does what a run did and expects what it showed, so that running it holds.
 *
 * @param name the part of the id behind the lab's
 * @throws whatever the lab's assessment throws for evidence that no lab of ours wrote
 */
export function proposeScenario(lab: Lab, run: ObservedRun, name: string): Scenario {
  const common = commonWithout(run.records);
  const certain = stepsBeforeRace(run.records.map((record) => record.spec));
  const scenario: Scenario = {
    id: `${lab.id}/${name}`,
    lab: lab.id,
    text: proposedText(lab, run),
    ...(common.length > 0 ? { without: common } : {}),
    steps: run.records.map((record, index) => proposedStep(record, common, index >= certain)),
    checks: proposeChecks(run.records),
  };
  const { invariants } = judge(lab, scenario, run.records);
  const ids = (result: string) => invariants.filter((one) => one.result === result).map((one) => one.id);
  const [violates, unknown] = [ids('violated'), ids('unknown')];
  if (violates.length > 0) scenario.violates = violates;
  if (unknown.length > 0) scenario.unknown = unknown;
  return scenario;
}

/**
 * The scenario that does the same again. A run that went its scenario's way to the end is that scenario, with the
 * safeguards as they were; any other is proposed from what it showed.
 */
export function scenarioAsRun(lab: Lab, run: ObservedRun): Scenario {
  const { scenario, records, without } = run;
  if (scenario && records.length === scenario.steps.length) {
    const { without: _, ...rest } = scenario;
    return without.length > 0 ? { ...rest, without: [...without] } : rest;
  }
  return proposeScenario(lab, run, 'as-run');
}

/** A scenario as the text of its file. */
export function scenarioYaml(scenario: Scenario): string {
  const { id, lab, text, without, steps, checks, violates, unknown } = scenario;
  const ordered = { id, lab, text, without, steps, checks, violates, unknown };
  return stringify(ordered, { lineWidth: 110, keepUndefined: false });
}
