/** Shape of the documents in a bundle. Whoever wrote the file, only this shape gets in. */
import { z } from 'zod';
import type { PANEL_IDS } from '../../evidence/model.ts';
import { MAX_STEPS, scenarioSchema } from '../schema.ts';

const MAX_TEXT = 64 * 1024;
const text = z.string().max(MAX_TEXT);
const id = z.string().min(1).max(200);
const json = z.json();
const object = z.record(z.string().max(200), json);
const step = scenarioSchema.shape.steps.element;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 is 64 hexadecimal digits');
const labName = z.string().regex(/^[a-z][a-z-]{0,40}$/, 'a lab is named in lower-case letters and hyphens');

/** Looked at before everything else: a bundle of another format has nothing else to say. */
export const formatSchema = z.looseObject({ format: z.int() });

export const manifestSchema = z.strictObject({
  format: z.int(),
  code: z.strictObject({ version: z.string().max(40), digest: sha256 }),
  runtime: z.strictObject({ node: z.string().max(40), sqlite: z.string().max(40) }),
  run: z.strictObject({ lab: labName, scenario: id, title: z.string().max(300) }),
  files: z.record(z.string().max(200), z.strictObject({ bytes: z.int().min(0), sha256 })),
});

const row = z.strictObject({ key: text, store: id, cells: object });
const panel = <T extends (typeof PANEL_IDS)[number]>(panelId: T) =>
  z.strictObject({
    id: z.literal(panelId),
    title: z.string().max(200),
    columns: z.array(z.string().max(200)).max(100),
    rows: z.array(row).max(10_000),
  });

const evidence = z.strictObject({
  lab: labName,
  panels: z.tuple([panel('operation'), panel('target'), panel('receipts'), panel('events')]),
  truth: z
    .array(
      z.strictObject({
        store: id,
        target: text,
        operation: text.nullable(),
        actor: text,
        from: json,
        to: json,
      }),
    )
    .max(10_000),
  integrity: z.array(z.strictObject({ store: id, quickCheck: text, foreignKeys: text })).max(20),
  files: z.array(z.strictObject({ store: id, file: id, present: z.boolean() })).max(20),
});

const fault = z.strictObject({
  at: id,
  hit: z.int().min(1),
  role: id,
  action: z.enum(['exit', 'kill', 'abort', 'hold']),
});

const executor = z.strictObject({
  role: id,
  pid: z.int().min(0),
  code: z.int().nullable(),
  signal: z
    .string()
    .regex(/^SIG[A-Z0-9]+$/)
    .nullable(),
  timedOut: z.boolean(),
  held: z.strictObject({ at: id, hit: z.int() }).nullable(),
  notStarted: text.optional(),
  endedBefore: z.boolean().optional(),
  reply: object.nullable(),
  stdout: text,
  stderr: text,
});

const traceLine = z.union(
  [
    z.strictObject({ boundary: id, hit: z.int(), role: id, pid: z.int() }),
    z.strictObject({ commit: id, name: id, role: id, pid: z.int() }),
    z.strictObject({ held: id, hit: z.int(), role: id, pid: z.int() }),
  ],
  'a line of a trace is a boundary, a commit or a hold',
);

const record = z.strictObject({
  label: step.shape.label,
  spec: step,
  state: z.enum(['done', 'failed', 'interrupted']),
  error: text.optional(),
  command: id,
  args: object,
  now: z.int().min(0),
  without: z.array(id).max(50),
  executors: z.array(executor).max(64),
  fault: z.strictObject({ armed: z.array(fault).max(64), fired: z.array(fault).max(64) }),
  trace: z.array(traceLine).max(20_000),
  evidence: evidence.nullable(),
});

export const journalSchema = z.strictObject({
  format: z.int(),
  run: z.strictObject({
    id,
    lab: labName,
    title: z.string().max(300),
    createdAt: z.iso.datetime(),
    without: z.array(id).max(50),
    origin: z.strictObject({ run: id, label: id }).nullable(),
  }),
  steps: z
    .array(z.strictObject({ record, prediction: z.strictObject({ said: json }).nullable() }))
    .min(1)
    .max(MAX_STEPS),
});
