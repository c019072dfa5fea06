/** What may be asked of a run: every name and argument checked before anything starts. */
import { z } from 'zod';
import { DrillError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { ended, whatThereIs } from '../core/nearest.ts';
import type { Lab } from '../labs/contract.ts';
import { armedFaults } from './control.ts';
import { issueWords, plainIssues } from './issue-words.ts';
import type { StepSpec } from './model.ts';

function requireName(what: string, name: string, names: readonly string[], where: string): void {
  if (!names.includes(name)) {
    throw new DrillError(
      'usage',
      `${where}: there is no ${what} "${name}"; ${ended(whatThereIs(name, names))}`,
    );
  }
}

/**
 * Checks a step against its lab and the steps before it.
 *
 * @throws DrillError `usage` naming what is unknown and what there is
 */
export function checkStep(lab: Lab, spec: StepSpec, history: readonly { label: string }[]): void {
  const where = `Step "${spec.label}"`;
  const verbs = [spec.command, spec.release, spec.damage].filter((verb) => verb !== undefined);
  if (verbs.length !== 1) {
    throw new DrillError('usage', `${where} needs exactly one of command, release and damage.`);
  }
  const labels = history.map((record) => record.label);
  if (labels.includes(spec.label)) throw new DrillError('usage', `${where}: this label is used already.`);
  if (spec.command)
    requireName(
      'command',
      spec.command,
      lab.commands.map((command) => command.name),
      where,
    );
  if (spec.release) requireName('earlier step', spec.release, labels, where);
  if (spec.damage) {
    requireName(
      'damage',
      spec.damage,
      lab.damages.map((damage) => damage.name),
      where,
    );
    const damage = lab.damages.find((candidate) => candidate.name === spec.damage);
    if (damage?.needsFrom && !spec.from)
      throw new DrillError('usage', `${where}: ${spec.damage} needs "from".`);
  }
  if (spec.from) requireName('earlier step', spec.from, labels, where);
  for (const name of spec.without ?? []) {
    requireName(
      'safeguard',
      name,
      lab.safeguards.map((safeguard) => safeguard.name),
      where,
    );
  }
  const boundaries = lab.boundaries.map((boundary) => boundary.name);
  for (const fault of armedFaults(spec)) {
    requireName('boundary', fault.at, boundaries, where);
    const roles = lab.boundaries.filter((b) => b.name === fault.at).map((b) => b.role);
    if (!roles.includes(fault.role)) {
      throw new DrillError(
        'usage',
        `${where}: ${fault.at} is reached in role ${roles.join(', ')}, not ${fault.role}.`,
      );
    }
  }
  if (spec.race) requireName('boundary', spec.race.at, boundaries, where);
}

/**
 * Checks the arguments of a command against the lab's schema.
 *
 * @returns the arguments with their defaults
 * @throws DrillError `usage` for an argument that does not exist, `malformed` for one of the wrong kind, a strange member
 *   inside it included
 */
export function checkArgs(lab: Lab, command: string, args: JsonObject): JsonObject {
  const spec = lab.commands.find((candidate) => candidate.name === command);
  if (!spec) throw new DrillError('usage', `Lab ${lab.id} has no command "${command}".`);
  const result = z.strictObject(spec.args.shape).safeParse(args, { error: issueWords });
  if (result.success) return result.data as JsonObject;
  const issue = plainIssues(result.error.issues)[0];
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    const known = Object.keys(spec.args.shape);
    const names = issue.keys.join(', ');
    throw new DrillError(
      'usage',
      `${command} has no argument "${names}"; ${ended(whatThereIs(names, known))}`,
    );
  }
  const name = issue?.path.join('.') || 'arguments';
  const words = issue?.message ?? 'is not as it should be';
  // A lab's own words about an argument may be a whole sentence.
  const link = /^(is|must|has) /.test(words) ? '' : ' is not acceptable:';
  throw new DrillError('malformed', `${command}: "${name}"${link} ${words.replace(/\.$/, '')}.`);
}
