/** What comes from outside, read in plain code: malformed input ends here, before any database is opened. */
import { DrillError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { givenDigest } from './approval.ts';
import {
  type Action,
  CREATE_TOOL,
  DEFAULT_ACTION,
  DEFAULT_BUDGET,
  DEFAULT_CONTEXT,
  DEFAULT_RUN,
  MAX_BUDGET,
  MAX_FIELD,
  MAX_NAME,
  MAX_TICKS,
  MAX_VALID_FIELD,
  type RunContext,
} from './words.ts';

export interface RunInput {
  context: RunContext;
  run: string;
  action: Action;
  expected: Action;
  approval: string | null;
  budget: number;
  cancel: boolean;
}

function malformed(sentence: string): DrillError {
  return new DrillError('malformed', `${sentence} Nothing was recorded.`);
}

function exactMembers(value: Json, names: readonly string[], what: string): JsonObject {
  if (!isObject(value)) throw malformed(`${what} must be an object with ${names.join(', ')}.`);
  const missing = names.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) throw malformed(`${what} lacks "${missing}".`);
  const stranger = Object.keys(value).find((name) => !names.includes(name));
  if (stranger !== undefined) throw malformed(`${what} has an unknown member "${stranger.slice(0, 40)}".`);
  return value;
}

/** @throws DrillError `malformed` for anything but a text of 1 to 128 characters */
export function readName(value: Json | undefined, what: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_NAME) {
    throw malformed(`${what} must be a text of 1 to ${MAX_NAME} characters.`);
  }
  return value;
}

/** @throws DrillError `malformed` for anything but a whole number between the bounds */
export function readWhole(value: Json | undefined, what: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
    throw malformed(`${what} must be a whole number from ${least} to ${most}.`);
  }
  return value;
}

/** @throws DrillError `malformed` naming the member that is wrong */
export function readContext(value: Json | undefined): RunContext {
  const names = ['tenant', 'principal', 'policyVersion', 'allowed'];
  const given = exactMembers(value ?? { ...DEFAULT_CONTEXT }, names, 'The context');
  if (typeof given.allowed !== 'boolean') throw malformed('"context.allowed" must be true or false.');
  return {
    tenant: readName(given.tenant, '"context.tenant"'),
    principal: readName(given.principal, '"context.principal"'),
    policyVersion: readWhole(given.policyVersion, '"context.policyVersion"', 0, MAX_TICKS),
    allowed: given.allowed,
  };
}

/** Well-formed: three texts of bounded length. Whether it is valid is another question, with another answer. */
export function readAction(value: Json | undefined, what = 'action'): Action {
  const given = exactMembers(value ?? { ...DEFAULT_ACTION }, ['source', 'title', 'tool'], `The ${what}`);
  const field = (name: keyof Action): string => {
    const text = given[name];
    if (typeof text !== 'string') throw malformed(`"${what}.${name}" must be a text.`);
    if (text.length > MAX_FIELD) throw malformed(`"${what}.${name}" is longer than ${MAX_FIELD} characters.`);
    return text;
  };
  return { source: field('source'), title: field('title'), tool: field('tool') };
}

/** Why a well-formed action cannot be carried out; null where it can (README.md, "Order of the rules", 6). */
export function actionProblem({ source, title, tool }: Action): string | null {
  if (tool !== CREATE_TOOL) return `there is no tool "${tool.slice(0, 60)}"`;
  for (const [name, text] of Object.entries({ source, title })) {
    if (text.trim() === '') return `${name} is empty`;
    if (text.length > MAX_VALID_FIELD) return `${name} is longer than ${MAX_VALID_FIELD} characters`;
  }
  return null;
}

/** @returns the digest given, or null for none @throws DrillError `malformed` where it is no approval at all */
export function readApproval(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  const given = givenDigest(value);
  if (given === null || given.length > MAX_NAME) {
    throw malformed('"approval" must be a digest, or an approval as "approve" prints it.');
  }
  return given;
}

function readFlag(value: Json | undefined, what: string, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw malformed(`${what} must be true or false.`);
  return value;
}

/** @throws DrillError `malformed`, definite, naming the first thing that is wrong */
export function readRunInput(args: JsonObject): RunInput {
  const action = readAction(args.action);
  return {
    context: readContext(args.context),
    run: readName(args.run ?? DEFAULT_RUN, '"run"'),
    action,
    expected:
      args.expected === undefined || args.expected === null ? action : readAction(args.expected, 'expected'),
    approval: readApproval(args.approval),
    budget: readWhole(args.budget ?? DEFAULT_BUDGET, '"budget"', 0, MAX_BUDGET),
    cancel: readFlag(args.cancel, '"cancel"', false),
  };
}

/** What the service is to publish about itself. @throws DrillError `malformed` */
export function readServiceTerms(args: JsonObject): { lag: number; keys: boolean } {
  return { lag: readWhole(args.lag ?? 0, '"lag"', 0, MAX_TICKS), keys: readFlag(args.keys, '"keys"', true) };
}
