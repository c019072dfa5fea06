import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { issueWords } from './issue-words.ts';
import { parseScenario } from './scenario.ts';

const words = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: issueWords }).error?.issues[0]?.message;

test('what is wrong with a value is told in plain words', () => {
  const cases: [z.ZodType, unknown, string][] = [
    [z.strictObject({ a: z.string() }), {}, 'is missing'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.int().min(0), 'x', 'must be a whole number from 0 to 9007199254740991'],
    [z.int().min(0), 1.5, 'must be a whole number from 0 to 9007199254740991'],
    [z.int().min(0), -1, 'must be 0 or more'],
    [z.int().max(9), 10, 'must be 9 or less'],
    [z.string(), 5, 'must be a text'],
    [z.string().max(80), 'x'.repeat(81), 'has more than 80 characters'],
    [z.string().min(1), '', 'is empty'],
    [z.array(z.int()).max(1), [1, 2], 'has more than 1 entry'],
    [z.array(z.int()), 'x', 'must be a list'],
    [z.record(z.string(), z.int()), 1, 'must be a group of named values'],
    [z.enum(['exit', 'kill']), 'x', 'must be one of: exit, kill'],
    [z.literal(true), false, 'must be true'],
    [z.iso.datetime(), 'x', 'must be a time like 2026-01-31T12:00:00Z'],
    [z.string().regex(/^a$/), 'b', 'does not have the form ^a$'],
    [z.string().regex(/^a$/, 'in its own words'), 'b', 'in its own words'],
    [z.union([z.string(), z.int()]), true, 'has none of the forms that are possible here'],
  ];
  for (const [schema, value, expected] of cases) assert.equal(words(schema, value), expected);
});

test('no sentence of a scenario file is the schema library’s own', () => {
  const parsed = parseScenario('id: 5\nlab: [x]\ntext: { title: "" }\nsteps: [{ label: a, now: soon }]\n');
  assert.ok(!parsed.ok);
  assert.ok(parsed.faults.length > 4);
  for (const { message } of parsed.faults) assert.doesNotMatch(message, /Invalid|expected|Too (big|small)/);
});
