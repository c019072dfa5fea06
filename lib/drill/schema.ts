/** The scenario format (DESIGN.md, "Scenario file"): one Zod schema gives type, message and JSON Schema. */
import { z } from 'zod';
import { PANEL_IDS } from '../evidence/model.ts';

const label = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'a label has lower-case letters, digits and hyphens')
  .refine((value) => value !== 'end', 'the label "end" means the end of the run')
  .describe('Name of a step, unique in the file. Example: crashed');
const name = z.string().min(1).max(80);
const json = z.json();
const text = z
  .object({ en: z.string().min(1) })
  .catchall(z.string())
  .describe('Text by language; English always.');
const panelId = z.enum(PANEL_IDS);

const scenarioText = z.strictObject({
  title: z.string().min(1).max(120),
  question: z.string().min(1).max(200).describe('One line. Example: The ledger says pending. May it retry?'),
  story: z.string().min(1).max(700).describe('What happened, in three sentences at most.'),
  lesson: z.string().min(1).max(700),
  understood: z.string().min(1).max(300).describe('What counts as having understood it, in one line.'),
});

const fault = z
  .strictObject({
    at: name.describe('A boundary of the lab. Example: after-target'),
    hit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Which hit of the boundary in one process; 1 if left out.'),
    role: name.optional().describe('executor, or the role of a child that the lab starts. Example: receiver'),
    do: z.enum(['exit', 'kill', 'abort', 'hold']).optional().describe('exit (86) if left out.'),
  })
  .describe('Example: { at: after-target, do: kill }');

const selector = z
  .union([
    z.strictObject({ reply: name }),
    z.strictObject({ exit: z.literal(true) }),
    z.strictObject({ panel: panelId, row: z.string(), cell: z.string() }),
    z.strictObject({ panel: panelId, count: z.literal(true), store: name.optional() }),
    z.strictObject({ observer: z.literal('changes'), operation: z.string().optional() }),
    z.strictObject({ statement: z.literal('violated') }),
  ])
  .describe('Where the answer is read. Example: { panel: receipts, count: true }');

const predict = z
  .strictObject({
    question: text,
    kind: z.enum(['number', 'choice']),
    options: z
      .array(z.strictObject({ value: json, text }))
      .min(2)
      .max(8)
      .optional(),
    answer: selector,
    because: text,
  })
  .refine((value) => value.kind === 'number' || value.options !== undefined, {
    message: 'a choice needs its options',
    path: ['options'],
  });

const expect = z
  .strictObject({
    exit: z.int().min(0).max(255).optional(),
    signal: z
      .string()
      .regex(/^SIG[A-Z0-9]+$/)
      .optional()
      .describe('Example: SIGKILL'),
    held: z.boolean().optional(),
    reply: z
      .record(z.string(), json)
      .optional()
      .describe('Members of the reply that must be equal; dots walk in.'),
    exits: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe('For a race: executors by end. Example: { "0": 8 }'),
  })
  .describe('Example: { exit: 0, reply: { status: reconciled, retryable: false } }');

const step = z
  .strictObject({
    label,
    command: name.optional(),
    args: z
      .record(z.string(), json)
      .optional()
      .describe('$name takes a saved value; { from: name, set: { a.b: 1 } } a changed copy.'),
    saves: z
      .string()
      .regex(/^[A-Za-z][\w-]*$/)
      .optional(),
    now: z.int().min(0).optional().describe('The logical clock, in ticks; stays at the last given.'),
    fault: z.union([fault, z.array(fault).min(1).max(8)]).optional(),
    race: z
      .strictObject({ executors: z.int().min(2).max(32), at: name })
      .optional()
      .describe('Example: { executors: 8, at: before-intent }'),
    without: z.array(name).optional().describe('Mechanisms off for this step.'),
    release: label.optional().describe('Lets the executor go on that the named step holds.'),
    do: z.literal('kill').optional().describe('With release: end it there instead.'),
    role: name.optional().describe('With release: only the held processes of this role.'),
    damage: name.optional().describe('A sabotage that the lab declares.'),
    from: label.optional().describe('With damage: the step whose raw copy is put back.'),
    expect: expect.optional(),
    predict: predict.optional(),
  })
  .refine(
    (value) => [value.command, value.release, value.damage].filter((v) => v !== undefined).length === 1,
    {
      message: 'a step has exactly one of command, release and damage',
    },
  );

const says = text.optional().describe('The sentence shown beside the figures.');
const check = z.union(
  [
    z.strictObject({ at: z.string(), panel: panelId, row: z.string(), cell: z.string(), equals: json, says }),
    z.strictObject({ at: z.string(), panel: panelId, count: z.int().min(0), store: name.optional(), says }),
    z.strictObject({ unchanged: panelId, from: z.string(), to: z.string(), says }),
    z.strictObject({ at: z.string(), changes: z.int().min(0), operation: z.string().optional(), says }),
  ],
  'a check is { at, panel, row, cell, equals }, { at, panel, count }, { unchanged, from, to } or { at, changes }',
);

export const scenarioSchema = z.strictObject({
  id: z
    .string()
    .max(80)
    .regex(
      /^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/,
      'an id is <lab>/<name>, in lower-case letters, digits and hyphens',
    ),
  lab: name,
  text: z.object({ en: scenarioText }).catchall(scenarioText),
  without: z.array(name).optional().describe('Mechanisms off for the whole run.'),
  steps: z.array(step).min(1).max(60),
  checks: z.array(check).max(100).default([]),
  violates: z
    .array(name)
    .min(1)
    .optional()
    .describe('A counterexample: exactly these statements must be violated.'),
  unknown: z.array(name).min(1).optional().describe('Statements that must come out unknown.'),
});

/** JSON Schema of a scenario file, as published at public/scenario.schema.json. */
export function scenarioJsonSchema(): object {
  return {
    $id: 'scenario.schema.json',
    title: 'Recovery drill scenario',
    ...z.toJSONSchema(scenarioSchema, { target: 'draft-2020-12', io: 'input' }),
  };
}
