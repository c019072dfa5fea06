/** The scenario format: one Zod schema gives type, message and JSON Schema. */
import { z } from 'zod';
import { PANEL_IDS } from '../evidence/model.ts';

/** Most steps of a scenario, and of a run, so that every run can be kept and handed over as one. */
export const MAX_STEPS = 60;
/** Longest label of a step: it is part of the names of files in a bundle. */
export const MAX_LABEL = 40;

const label = z
  .string()
  .max(MAX_LABEL, `a label has ${MAX_LABEL} characters at most`)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'a label has lower-case letters, digits and hyphens')
  .refine((value) => value !== 'end', 'the label "end" means the end of the run')
  .meta({ description: 'Name of a step, unique in the file.', examples: ['crashed'] });
const name = z.string().min(1).max(80);
const json = z.json();
const text = z.string().min(1);
const panelId = z.enum(PANEL_IDS);

const scenarioText = z.strictObject({
  title: z.string().min(1).max(120),
  question: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'One line.', examples: ['The ledger says pending. May it retry?'] }),
  story: z.string().min(1).max(700).describe('What happened, in three sentences at most.'),
  lesson: z.string().min(1).max(700),
  understood: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('What counts as having understood it, in one line.'),
});

const fault = z
  .strictObject({
    at: name.meta({ description: 'A boundary of the lab.', examples: ['after-target'] }),
    hit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Which hit of the boundary in one process; 1 if left out.'),
    role: name
      .optional()
      .meta({ description: 'executor, or the role of a child that the lab starts.', examples: ['receiver'] }),
    action: z.enum(['exit', 'kill', 'abort', 'hold']).optional().describe('exit (86) if left out.'),
  })
  .meta({
    examples: [
      { at: 'after-target', action: 'kill' },
      { at: 'before-receiver-commit', role: 'receiver' },
    ],
  });

const selector = z
  .union([
    z.strictObject({ reply: name }),
    z.strictObject({ exit: z.literal(true) }),
    z.strictObject({ panel: panelId, row: z.string(), cell: z.string() }),
    z.strictObject({ panel: panelId, count: z.literal(true), store: name.optional() }),
    z.strictObject({ truth: z.literal('changes'), operation: z.string().optional() }),
    z.strictObject({ invariant: z.literal('violated') }),
  ])
  .meta({
    description: 'Where the answer is read in the step that follows; never written by hand.',
    examples: [{ panel: 'receipts', count: true }, { reply: 'retryable' }, { truth: 'changes' }],
  });

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
      .meta({ examples: ['SIGKILL'] }),
    held: z.boolean().optional(),
    reply: z
      .record(z.string(), json)
      .optional()
      .describe('Members of the reply that must be equal; dots walk in.'),
    exits: z
      .record(z.string(), z.int().min(0))
      .optional()
      .meta({ description: 'For a race: executors by end.', examples: [{ '0': 8 }] }),
  })
  .meta({
    description: 'What must come back; anything else makes the run violated.',
    examples: [{ exit: 0, reply: { status: 'reconciled', retryable: false } }],
  });

const step = z
  .strictObject({
    label,
    command: name.optional(),
    args: z
      .record(z.string(), json)
      .optional()
      .meta({
        description: '$name takes a saved value; { from, set } a changed copy of it, dots walk its members.',
        examples: [
          { proposal: '$proposal', approve: true },
          { proposal: { from: 'proposal', set: { 'change.value': false } } },
        ],
      }),
    saves: z
      .string()
      .regex(/^[A-Za-z][\w-]*$/)
      .optional(),
    now: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'The logical clock, in ticks; stays at the last given.', examples: [11] }),
    fault: z.union([fault, z.array(fault).min(1).max(8)]).optional(),
    race: z
      .strictObject({ executors: z.int().min(2).max(32), at: name })
      .optional()
      .meta({
        description: 'So many executors held at a boundary outside any transaction, then released together.',
        examples: [{ executors: 8, at: 'before-intent' }],
      }),
    without: z
      .array(name)
      .optional()
      .meta({ description: 'Safeguards off for this step.', examples: [['version-check']] }),
    release: label
      .optional()
      .meta({ description: 'Lets the executor go on that the named step holds.', examples: ['late'] }),
    action: z
      .literal('kill')
      .optional()
      .meta({ description: 'With release: end it there instead.', examples: ['kill'] }),
    role: name
      .optional()
      .meta({ description: 'With release: only the held processes of this role.', examples: ['executor'] }),
    damage: name
      .optional()
      .meta({ description: 'A damage that the lab declares.', examples: ['damage-receipt'] }),
    from: label
      .optional()
      .meta({ description: 'With damage: the step whose raw copy is put back.', examples: ['planned'] }),
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
    z.strictObject({ at: z.string(), settled: z.boolean(), says }).meta({
      description: 'Whether a correct operator has nothing left to do.',
      examples: [{ at: 'end', settled: true }],
    }),
  ],
  'a check is { at, panel, row, cell, equals }, { at, panel, count }, { unchanged, from, to }, { at, changes } or { at, settled }',
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
  text: scenarioText,
  without: z
    .array(name)
    .optional()
    .meta({ description: 'Safeguards off for the whole run.', examples: [['review']] }),
  steps: z.array(step).min(1).max(MAX_STEPS),
  checks: z.array(check).max(100).default([]),
  violates: z
    .array(name)
    .min(1)
    .optional()
    .meta({
      description: 'A counterexample: exactly these invariants must be violated, and that holds.',
      examples: [['one-effect-one-intent']],
    }),
  unknown: z
    .array(name)
    .min(1)
    .optional()
    .meta({ description: 'Invariants that must come out unknown.', examples: [['one-effect-one-intent']] }),
});

/** JSON Schema of a scenario file, as published at public/scenario.schema.json. */
export function scenarioJsonSchema(): object {
  return {
    $id: 'scenario.schema.json',
    title: 'Recovery drill scenario',
    ...z.toJSONSchema(scenarioSchema, { target: 'draft-2020-12', io: 'input' }),
  };
}
