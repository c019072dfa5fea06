/** `drill run`: scenarios in throw-away directories, a verdict, and what CI wants to read. */
import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DrillError, EXIT } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { endWord } from '../drill/checks.ts';
import type { Scenario, StepRecord } from '../drill/model.ts';
import { isMachine, reasonWords, type Verdict } from '../drill/reasons.ts';
import { runScenario, type ScenarioRun } from '../drill/run.ts';
import { allScenarios, readScenario, scenariosOf } from '../drill/scenario.ts';
import { inLanes } from '../drill/sweep/lanes.ts';
import { finalVerdict } from '../drill/verdict.ts';
import type { CheckResult } from '../evidence/model.ts';
import { getLab } from '../labs/registry.ts';
import { endAllSessions } from '../operations/live.ts';
import { findScenario } from '../operations/own-scenarios.ts';
import { runToEnd } from '../operations/run-to-end.ts';
import { startRun } from '../operations/start-run.ts';
import { inScratch } from './scratch.ts';

export interface RunOptions {
  all?: boolean;
  lab?: string;
  json?: boolean;
  /** One line a scenario and its reasons, without its steps; so for several at once. */
  quiet?: boolean;
  keep?: boolean;
  cold?: boolean;
  without: string[];
  junit?: string;
}

/** The scenarios that a command line names; one's own in the data directory by their ids too, but for `--all`. */
export function chooseScenarios(
  target: string | undefined,
  options: { all?: boolean; lab?: string },
): Scenario[] {
  if (options.all && target) throw new DrillError('usage', `Either "${target}" or --all, not both.`);
  if (!options.all && options.lab) throw new DrillError('usage', '--lab goes with --all.');
  if (options.all) return options.lab ? scenariosOf(options.lab) : allScenarios();
  if (!target) throw new DrillError('usage', 'Name a scenario or a file, or say --all.');
  return [/\.ya?ml$/.test(target) ? readScenario(target) : findScenario(target)];
}

/** Runs one scenario in a temporary directory that is removed afterwards. */
export async function runInTemporary(
  scenario: Scenario,
  without: readonly string[] = [],
): Promise<ScenarioRun> {
  return inScratch('run', (dir) => runScenario(getLab(scenario.lab), scenario, { dir, without }));
}

/** Runs one scenario into the dashboard's store, where its page shows it like any other run. */
async function runKept(
  scenario: Scenario,
  without: readonly string[],
): Promise<ScenarioRun & { id: string }> {
  const { run: id } = await startRun({ scenario, without });
  const { view } = await runToEnd({ run: id, seq: 1 });
  const { verdict, reasons, checks, invariants, steps: records } = view;
  return { id, scenario, records, verdict, reasons, checks, invariants };
}

function stepJson(record: StepRecord): JsonObject {
  const first = record.executors[0];
  const json = {
    label: record.label,
    command: record.command,
    exit: { code: first?.code ?? null, signal: first?.signal ?? null },
    fault: record.fault,
    reply: first?.reply ?? null,
    executors: record.executors.map((end) => ({
      end: endWord(end),
      code: end.code,
      signal: end.signal,
      held: end.held,
      reply: end.reply,
    })),
    expectations: record.expectations,
    evidence: record.evidence,
  };
  return json as unknown as JsonObject;
}

/** A run as `run --json` prints it (README.md). */
export function runJson(run: ScenarioRun, id: string | null): JsonObject {
  const json = {
    run: id,
    scenario: run.scenario.id,
    verdict: run.verdict,
    reasons: run.reasons.map((reason) => ({
      ...reason,
      says: reasonWords(getLab(run.scenario.lab), reason),
    })),
    steps: run.records.map(stepJson),
    checks: run.checks,
    invariants: run.invariants.map(({ id: invariant, result, detail, declared, since }) => ({
      id: invariant,
      result,
      detail,
      declared,
      since,
    })),
  };
  return json as unknown as JsonObject;
}

function printRun(run: ScenarioRun & { id: string | null }, quiet: boolean): void {
  const kept = run.id ? ` (kept as run ${run.id})` : '';
  const lines = [`${run.verdict.padEnd(8)} ${run.scenario.id}${kept}`];
  for (const record of quiet ? [] : run.records) {
    const ends = [...new Set(record.executors.map(endWord))].join(', ');
    const status = record.executors[0]?.reply?.status;
    lines.push(
      `         ${record.label}: ${record.command} -> ${ends}${typeof status === 'string' ? `, ${status}` : ''}`,
    );
  }
  const lab = getLab(run.scenario.lab);
  for (const reason of run.reasons) lines.push(`         ${reasonWords(lab, reason)}`);
  if (!quiet) lines.push(`         Lesson: ${run.scenario.text.lesson.trim()}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

const xml = (text: string) =>
  text.replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[^\t\n\r\x20-\uFFFD]/g, '?');

/** A test case of a JUnit report. */
export interface Case {
  name: string;
  suite: string;
  verdict: Verdict;
  reasons: readonly string[];
  /** The machine or the dashboard failed, and not the lab. */
  machine?: boolean;
}

function caseXml({ name, suite, verdict, reasons, machine }: Case): string {
  const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}"`;
  const words = xml(reasons.join('\n'));
  if (verdict === 'holds' && reasons.length === 0) return `${open}/>`;
  const body =
    verdict === 'holds'
      ? `<system-out>${words}</system-out>`
      : machine
        ? `<error message="${verdict}">${words}</error>`
        : `<failure message="${verdict}">${words}</failure>`;
  return `${open}>\n      ${body}\n    </testcase>`;
}

/** JUnit XML for CI: one test case a scenario. */
export function junit(cases: readonly Case[]): string {
  const bad = cases.filter(({ verdict }) => verdict !== 'holds');
  const errors = bad.filter(({ machine }) => machine).length;
  const counts = `tests="${cases.length}" failures="${bad.length - errors}" errors="${errors}"`;
  const body = cases.map(caseXml).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite name="drill" ${counts}>\n${body}\n  </testsuite>\n</testsuites>\n`;
}

/**
 * Says before the work that a report will find no place, so that a long sweep is not done for nothing.
 *
 * @throws DrillError `usage` with the reason
 */
export function requireWritable(file: string | undefined): void {
  if (file === undefined) return;
  try {
    accessSync(existsSync(file) ? file : dirname(resolve(file)), constants.W_OK);
    if (existsSync(file) && statSync(file).isDirectory()) throw new Error(`${file} is a folder`);
  } catch (error) {
    throw new DrillError('usage', `No report can be written there: ${(error as Error).message}.`);
  }
}

/**
 * Writes a JUnit report, after the result was printed: a report that cannot be written must not swallow it.
 *
 * @throws DrillError `unavailable` with the reason
 */
export function writeReport(file: string | undefined, text: () => string): void {
  if (file === undefined) return;
  try {
    writeFileSync(file, text());
  } catch (cause) {
    throw new DrillError('unavailable', `The report was not written: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

/** @throws DrillError `usage` for a safeguard that none of the labs has, naming those that there are */
function requireSafeguards(scenarios: readonly Scenario[], without: readonly string[]): void {
  const ids = [...new Set(scenarios.map(({ lab }) => lab))];
  const there = ids.map((id) => ({ id, names: getLab(id).safeguards.map(({ name }) => name) }));
  const unknown = without.find((name) => !there.some(({ names }) => names.includes(name)));
  if (unknown === undefined) return;
  const sentences = there.map(
    ({ id, names }) => `Lab ${id} has no safeguard "${unknown}"; there are: ${names.join(', ')}.`,
  );
  throw new DrillError('usage', sentences.join(' '));
}

/** @returns the exit code: 0 holds, 1 violated, 2 unknown */
export async function runCommand(target: string | undefined, options: RunOptions): Promise<number> {
  const scenarios = chooseScenarios(target, options);
  requireSafeguards(scenarios, options.without);
  requireWritable(options.junit);
  const runs = await inLanes(scenarios, availableParallelism(), async (scenario) => {
    const run = options.keep
      ? await runKept(scenario, options.without)
      : { id: null, ...(await runInTemporary(scenario, options.without)) };
    if (!options.json) printRun(run, options.quiet ?? options.all ?? false);
    return run;
  });
  if (options.keep) await endAllSessions();
  const verdict = worst(runs.map(finalVerdict));
  if (options.json) {
    const documents: Json = runs.map((run) => runJson(run, run.id));
    process.stdout.write(
      `${JSON.stringify(options.all ? { verdict, runs: documents } : documents[0], null, 2)}\n`,
    );
  } else if (runs.length > 1) {
    const count = (result: CheckResult) => runs.filter((run) => run.verdict === result).length;
    process.stdout.write(
      `${count('holds')} hold, ${count('violated')} violated, ${count('unknown')} unknown\n`,
    );
  }
  writeReport(options.junit, () =>
    junit(
      runs.map(({ scenario, verdict: result, reasons }) => ({
        name: scenario.id,
        suite: scenario.lab,
        verdict: result,
        reasons: reasons.map((reason) => reasonWords(getLab(scenario.lab), reason)),
        machine: result !== 'violated' && reasons.some(isMachine),
      })),
    ),
  );
  // What this machine could not do is no answer about a lab.
  const machine = verdict !== 'violated' && runs.some(({ reasons }) => reasons.some(isMachine));
  return machine ? EXIT.machine : exitOf(verdict);
}

/** Violated before unknown before holds. */
export function worst(results: readonly CheckResult[]): CheckResult {
  if (results.includes('violated')) return 'violated';
  return results.includes('unknown') ? 'unknown' : 'holds';
}

/** The exit code that a verdict has. */
export function exitOf(verdict: CheckResult): number {
  return { holds: 0, violated: 1, unknown: 2 }[verdict];
}
