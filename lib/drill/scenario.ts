/** Reading scenario files: YAML, with the path, line and column of every fault in the file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { z } from 'zod';
import { DrillError } from '../core/errors.ts';
import { readNamedFile } from '../core/named-file.ts';
import { nearest, whatThereIs } from '../core/nearest.ts';
import { projectRoot } from '../core/project-root.ts';
import type { Lab } from '../labs/contract.ts';
import { getLab, labs } from '../labs/registry.ts';
import { armedFaults } from './control.ts';
import { issueWords, plainIssues } from './issue-words.ts';
import type { Check, Scenario, StepSpec } from './model.ts';
import { savedNames } from './resolve.ts';
import { type Fault, firstFaults, type Path, readYaml, SCENARIO_LIMIT } from './scenario-yaml.ts';
import { scenarioSchema } from './schema.ts';
import { checkArgs, checkStep } from './step-input.ts';

export type { Fault } from './scenario-yaml.ts';

export type Parsed = { ok: true; scenario: Scenario } | { ok: false; faults: Fault[] };

/**
 * Parses and validates a scenario: format, names of its lab, labels, saved values.
 *
 * @returns the scenario, or the faults found, each with path, line and column: the first of them, where there are
 *   very many; throws nothing
 */
export function parseScenario(source: string): Parsed {
  const yaml = readYaml(source);
  if (!yaml.ok) return yaml;
  const result = scenarioSchema.safeParse(yaml.value, { error: issueWords });
  const findings = result.success
    ? meaning(result.data as Scenario)
    : plainIssues(result.error.issues).flatMap(shapeFindings);
  if (result.success && findings.length === 0) return { ok: true, scenario: result.data as Scenario };
  const toFault = ({ path, message }: Finding): Fault => ({
    path: path.join('.') || '(file)',
    message,
    ...yaml.locate(path),
  });
  return { ok: false, faults: firstFaults(findings, toFault) };
}

interface Finding {
  path: Path;
  message: string;
}

function shapeFindings(issue: z.core.$ZodIssue): Finding[] {
  const path = issue.path as Path;
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], message: `there is no key "${key}" here` }));
}

function attempt(path: Path, findings: Finding[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof DrillError)) throw error;
    findings.push({ path, message: error.message });
  }
}

/** What a schema cannot see: names of the lab, order of labels and saved values, checks on steps that exist. */
function meaning(scenario: Scenario): Finding[] {
  const findings: Finding[] = [];
  const lab = labs.find((candidate) => candidate.id === scenario.lab);
  if (!lab) {
    const known = labs.map((candidate) => candidate.id);
    return [
      { path: ['lab'], message: `there is no lab "${scenario.lab}"; ${whatThereIs(scenario.lab, known)}` },
    ];
  }
  if (!scenario.id.startsWith(`${lab.id}/`)) {
    findings.push({ path: ['id'], message: `the id of a scenario of this lab begins with "${lab.id}/"` });
  }
  scenario.steps.forEach((step, index) => {
    attempt(['steps', index], findings, () => checkStep(lab, step, scenario.steps.slice(0, index)));
    findings.push(...savedValueFindings(scenario, step, index), ...releaseFindings(scenario, step, index));
    const known = lab.commands.some((command) => command.name === step.command);
    if (known && savedNames(step).length === 0) {
      attempt(['steps', index, 'args'], findings, () =>
        checkArgs(lab, step.command as string, step.args ?? {}),
      );
    }
  });
  findings.push(...nameFindings(scenario, lab));
  scenario.checks.forEach((check, index) => {
    findings.push(...checkFindings(scenario, check, index));
  });
  return findings;
}

function savedValueFindings(scenario: Scenario, step: StepSpec, index: number): Finding[] {
  return savedNames(step).flatMap((name) => {
    const by = scenario.steps.findIndex((candidate) => candidate.saves === name);
    if (by !== -1 && by < index) return [];
    const path = ['steps', index, 'args'];
    if (by === -1) return [{ path, message: `$${name} is saved by no step` }];
    if (by === index) return [{ path, message: `$${name} is saved by this very step: a cycle` }];
    return [{ path, message: `$${name} is saved only later, by "${scenario.steps[by]?.label}": a cycle` }];
  });
}

/** A release lets go what a hold has stopped: without a hold that is left, it has nothing to do. */
function releaseFindings(scenario: Scenario, step: StepSpec, index: number): Finding[] {
  if (!step.release) return [];
  const held = scenario.steps.slice(0, index).find(({ label }) => label === step.release);
  if (!held) return [];
  const path = ['steps', index, 'release'];
  const holds = armedFaults(held).filter(({ action }) => action === 'hold');
  if (holds.length === 0)
    return [{ path, message: `step "${held.label}" holds nothing: none of its faults has action: hold` }];
  if (step.role && !holds.some(({ role }) => role === step.role)) {
    const roles = holds.map(({ role }) => role);
    return [
      { path, message: `step "${held.label}" holds no ${step.role}; ${whatThereIs(step.role, roles)}` },
    ];
  }
  const before = scenario.steps.slice(0, index).filter(({ release }) => release === step.release);
  // Several executors of a race may come to one hold one after the other.
  if (held.race || before.length < holds.length) return [];
  return [{ path, message: `"${before.at(-1)?.label}" has released all that step "${held.label}" holds` }];
}

function nameFindings(scenario: Scenario, lab: Lab): Finding[] {
  const findings: Finding[] = [];
  const unknownName = (key: 'without' | 'violates' | 'unknown', what: string, known: string[]) => {
    (scenario[key] ?? []).forEach((name, index) => {
      if (!known.includes(name)) {
        findings.push({
          path: [key, index],
          message: `there is no ${what} "${name}"; ${whatThereIs(name, known)}`,
        });
      }
    });
  };
  unknownName(
    'without',
    'safeguard',
    lab.safeguards.map((safeguard) => safeguard.name),
  );
  const invariants = lab.invariants.map((invariant) => invariant.id);
  unknownName('violates', 'invariant', invariants);
  unknownName('unknown', 'invariant', invariants);
  return findings;
}

function checkFindings(scenario: Scenario, check: Check, index: number): Finding[] {
  const labels = [...scenario.steps.map((step) => step.label), 'end'];
  const named = 'unchanged' in check ? { from: check.from, to: check.to } : { at: check.at };
  return Object.entries(named)
    .filter(([, label]) => !labels.includes(label))
    .map(([key, label]) => ({
      path: ['checks', index, key],
      message: `there is no step "${label}"; ${whatThereIs(label, labels)}`,
    }));
}

/** Faults of a file, a line each: "file:line:column path: message". */
export function faultSentence(file: string, faults: readonly Fault[]): string {
  return faults.map((f) => `${file}:${f.line}:${f.column} ${f.path}: ${f.message}`).join('\n');
}

/**
 * Reads one scenario file.
 *
 * @throws DrillError `malformed` with its faults, `not-found` where there is no such file
 */
export function readScenario(file: string): Scenario {
  const parsed = parseScenario(readNamedFile(file, SCENARIO_LIMIT).toString('utf8'));
  if (parsed.ok) return parsed.scenario;
  throw new DrillError('malformed', faultSentence(file, parsed.faults));
}

const files = new Map<string, Scenario>();
const lists = new Map<string, Scenario[]>();

const folderOf = (lab: string): string => join(projectRoot(), 'lib', 'labs', lab, 'scenarios');

/** A built-in scenario by its file; each is read once a process. */
function builtIn(file: string): Scenario {
  const known = files.get(file);
  if (known) return known;
  const parsed = parseScenario(readFileSync(file, 'utf8'));
  if (!parsed.ok) {
    throw new DrillError('malformed', faultSentence(relative(projectRoot(), file), parsed.faults));
  }
  files.set(file, parsed.scenario);
  return parsed.scenario;
}

/** Built-in scenarios of a lab, in the order of its playlist, then by id. */
export function scenariosOf(labId: string): Scenario[] {
  const known = lists.get(labId);
  if (known) return known;
  const lab = getLab(labId);
  const dir = folderOf(lab.id);
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.yaml')) : [];
  const list = names.map((name) => builtIn(join(dir, name)));
  const order = lab.playlist.map((entry) => entry.scenario);
  const rank = (scenario: Scenario) => {
    const place = order.indexOf(scenario.id);
    return place === -1 ? order.length : place;
  };
  list.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
  lists.set(labId, list);
  return list;
}

/** Every built-in scenario, lab by lab. */
export function allScenarios(): Scenario[] {
  return labs.flatMap((lab) => scenariosOf(lab.id));
}

/**
 * A built-in scenario; its file has its name, so that no other one is read.
 *
 * @param name its id, or the name alone where one lab has a scenario of that name
 * @throws DrillError `not-found` with the nearest one; `usage` where several have the name
 */
export function getScenario(name: string): Scenario {
  const id = name.includes('/') ? name : fullName(name);
  const lab = labs.find((candidate) => id.startsWith(`${candidate.id}/`));
  const own = lab ? id.slice(lab.id.length + 1) : '';
  const file = lab && /^[a-z0-9][a-z0-9-]*$/.test(own) ? join(folderOf(lab.id), `${own}.yaml`) : null;
  if (file && existsSync(file)) return builtIn(file);
  const near = nearest(id, builtInIds());
  throw new DrillError(
    'not-found',
    `There is no scenario "${id.slice(0, 80)}". ${near ? `Did you mean ${near}?` : '"drill list" names all of them.'}`,
  );
}

/** Ids of the built-in scenarios, by their files alone. */
export function builtInIds(): string[] {
  return labs.flatMap(({ id }) => {
    const names = existsSync(folderOf(id)) ? readdirSync(folderOf(id)) : [];
    return names.filter((name) => name.endsWith('.yaml')).map((name) => `${id}/${name.slice(0, -5)}`);
  });
}

/** @throws DrillError `usage` where several labs have a scenario of that name */
function fullName(name: string): string {
  const found = builtInIds().filter((id) => id.endsWith(`/${name}`));
  if (found.length < 2) return found[0] ?? name;
  throw new DrillError('usage', `"${name}" is the name of several scenarios: ${found.join(', ')}. Name one.`);
}
