/**
 * What is wrong with a value, in plain words. The schema library's own sentences are for programmers; a schema's own
 * words, where it has any, come before these.
 */
import type { z } from 'zod';
import { nearest } from '../core/nearest.ts';

type Issue = z.core.$ZodRawIssue;

const KIND: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of named values',
  record: 'a group of named values',
  null: 'null',
};

const NOUNS: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
};

function counted(count: number | bigint, origin: string): string {
  const [one, many] = NOUNS[origin] ?? ['member', 'members'];
  return `${count} ${Number(count) === 1 ? one : many}`;
}

/** Bounds of a number's schema, where it has both, and says that it takes whole ones. */
function numberOf(inst: unknown): string {
  const { minValue, maxValue, isInt } = (inst ?? {}) as {
    minValue?: number | null;
    maxValue?: number | null;
    isInt?: boolean;
  };
  const kind = isInt ? 'a whole number' : 'a number';
  const [least, most] = [minValue ?? null, maxValue ?? null];
  if (least === null || most === null || !Number.isFinite(least) || !Number.isFinite(most)) return kind;
  return `${kind} from ${least} to ${most}`;
}

function wrongKind(issue: Issue & { code: 'invalid_type' }): string {
  if (issue.input === undefined) return 'is missing';
  const number = issue.expected === 'number' || issue.expected === 'int';
  return `must be ${number ? numberOf(issue.inst) : (KIND[issue.expected] ?? 'of another kind')}`;
}

function tooSmall({ origin, minimum }: Issue & { code: 'too_small' }): string {
  if (!(origin in NOUNS)) return `must be ${minimum} or more`;
  return Number(minimum) === 1 ? 'is empty' : `has fewer than ${counted(minimum, origin)}`;
}

function tooBig({ origin, maximum }: Issue & { code: 'too_big' }): string {
  return origin in NOUNS ? `has more than ${counted(maximum, origin)}` : `must be ${maximum} or less`;
}

function wrongForm({ format, pattern }: Issue & { code: 'invalid_format' }): string {
  if (format === 'datetime') return 'must be a time like 2026-01-31T12:00:00Z';
  return pattern
    ? `does not have the form ${pattern.replace(/^\/|\/[a-z]*$/g, '')}`
    : 'does not have the form that it must have';
}

function oneOf(values: readonly unknown[], input: unknown): string {
  const words = values.map(String);
  if (words.length === 1) return `must be ${words[0]}`;
  const near = typeof input === 'string' ? nearest(input, words) : null;
  return `must be one of: ${words.join(', ')}${near ? `. Did you mean ${near}?` : ''}`;
}

/** The sentence of an issue without its subject and its full stop: "is missing". For `safeParse(..., { error })`. */
export function issueWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongKind(issue as Issue & { code: 'invalid_type' });
    case 'too_small':
      return tooSmall(issue as Issue & { code: 'too_small' });
    case 'too_big':
      return tooBig(issue as Issue & { code: 'too_big' });
    case 'invalid_format':
      return wrongForm(issue as Issue & { code: 'invalid_format' });
    case 'invalid_value':
      return issue.input === undefined
        ? 'is missing'
        : oneOf((issue as { values: unknown[] }).values, issue.input);
    case 'unrecognized_keys':
      return `has a name that is not known here: ${(issue as { keys: string[] }).keys.map((key) => `"${key}"`).join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : 'has none of the forms that are possible here';
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return 'is not as it should be';
  }
}

type Found = z.core.$ZodIssue;

/** How far a branch of a union is from the value: names that it lacks or does not know weigh most. */
function distanceOf(branch: readonly Found[]): number {
  return branch
    .map((issue) => {
      if (issue.code === 'unrecognized_keys') return 10 * issue.keys.length;
      if (issue.path.length === 0) return 100;
      return issue.message === 'is missing' ? 10 : 1;
    })
    .reduce((sum, one) => sum + one, 0);
}

/**
 * Issues as a person can act on them: where one of several forms was meant and only a value in it is wrong, the issue
 * is that value, at its own path.
 */
export function plainIssues(issues: readonly Found[]): Found[] {
  return issues.flatMap((issue): Found[] => {
    if (issue.code !== 'invalid_union') return [issue];
    const [best] = issue.errors
      .map((branch) => ({ branch, far: distanceOf(branch) }))
      .sort((a, b) => a.far - b.far);
    if (!best || best.far >= 10) return [issue];
    return plainIssues(best.branch.map((one) => ({ ...one, path: [...issue.path, ...one.path] })));
  });
}
