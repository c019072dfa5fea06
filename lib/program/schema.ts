/** The format of `drill.yaml`: one Zod schema gives the type, the messages and the JSON Schema. */
import { z } from 'zod';
import { PANEL_IDS } from '../evidence/model.ts';

export const SOURCES = ['code', 'node', 'wire'] as const;
export type Source = (typeof SOURCES)[number];

/** Invariants that every program lab may ask for by name. */
export const NAMED_INVARIANTS = {
  'at-most-one-effect': 'No operation has more than one effect.',
  'success-has-its-effect':
    'An operation that is recorded as done has its effect; one that is recorded as refused has no effect.',
  'effect-gets-settled': 'After the recovery every operation is settled, and none with an effect stays open.',
} as const;
export type NamedInvariant = keyof typeof NAMED_INVARIANTS;

const id = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9_-]*$/, 'a name has lower-case letters, digits, hyphens and underscores');
const serviceId = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9_]*$/, 'a service has lower-case letters, digits and underscores in its name');
const words = z
  .array(z.string().max(4096))
  .min(1)
  .max(100)
  .meta({
    description: 'A program and its arguments; no shell reads them.',
    examples: [['node', '$LAB/a.ts']],
  });
const sql = z.string().min(1).max(20_000);
const duration = z
  .string()
  .regex(/^\d{1,6}(ms|s|m)$/, 'a time is a number with its unit, like 500ms, 20s or 2m')
  .meta({ examples: ['20s'] });
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable has letters, digits and underscores');
const env = z
  .record(variable, z.union([z.string(), z.number(), z.boolean()]).transform(String))
  .describe('What the program gets besides PATH, HOME and LANG.');
const texts = z.array(z.union([z.string(), z.number(), z.boolean()]).transform(String));

/** Exactly one of some names must be there: said in one sentence where a union would say nothing. */
function oneOf<T extends z.ZodType>(schema: T, names: readonly string[], what: string): T {
  return schema.refine(
    (value) => names.filter((name) => (value as Record<string, unknown>)[name] !== undefined).length === 1,
    { message: `${what} has exactly one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}` },
  );
}

const service = oneOf(
  z.strictObject({
    postgres: z
      .string()
      .optional()
      .describe('embedded, or the URL of a server on which we may create databases.'),
    redis: z
      .string()
      .optional()
      .describe('embedded (redis-server of the system), or a URL whose database is empty.'),
    run: words.optional().describe('A program that is started once for each run.'),
    http: z.string().optional().describe('The URL of a service that is there already; it needs reset.'),
    ready: z
      .strictObject({ port: z.union([z.string(), z.int().min(1).max(65535)]).transform(String) })
      .optional()
      .describe('With run: it is ready when this port accepts a connection. $PORT is one that we chose.'),
    reset: words.optional().describe('With http: a command that puts the service back to its beginning.'),
    env: env.optional(),
  }),
  ['postgres', 'redis', 'run', 'http'],
  'a service',
)
  .refine((value) => value.run === undefined || value.ready !== undefined, {
    message: 'a service that is run needs ready: { port: $PORT }',
  })
  .refine((value) => value.http === undefined || value.reset !== undefined, {
    message: 'an http service needs reset, the command that puts it back to its beginning',
  });

const store = oneOf(
  z.strictObject({
    sqlite: z.string().min(1).optional().describe('A file, relative to the directory of the run.'),
    postgres: z.string().optional().describe('A service of this file.'),
    command: words
      .optional()
      .describe('A command that prints its rows as a JSON list, or one JSON object a line.'),
    outside: z.boolean().optional().describe('The world outside: it shares no commit with the program.'),
  }),
  ['sqlite', 'postgres', 'command'],
  'a store',
);

const query = z.strictObject({
  store: id,
  key: z
    .string()
    .min(1)
    .max(80)
    .optional()
    .describe('The column that names a row; a number in its place if left out.'),
  sql: sql.optional().describe('One SELECT. A store with a command needs none.'),
});
const panel = z.union([
  query.extend({ title: z.string().max(60).optional() }),
  z.array(query).min(1).max(20),
]);

const until = z.strictObject({
  store: id,
  sql: sql.describe('Asked every 25 ms; the first cell of the first row counts.'),
  equals: z.union([z.string(), z.number(), z.boolean()]).transform(String),
  within: duration.default('20s'),
});
const command = z.strictObject({
  run: words,
  until: until.optional().describe('For a command that does not end by itself: when it has done its work.'),
  stop: z
    .string()
    .regex(
      /^SIG(TERM|INT|HUP|QUIT|USR1|USR2|KILL)$/,
      'a signal is SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 or SIGKILL',
    )
    .default('SIGTERM'),
  within: duration.default('30s').describe('A command that has not ended by then is killed.'),
  env: env.optional(),
});

const invariant = z.union([
  z.enum(Object.keys(NAMED_INVARIANTS) as [NamedInvariant, ...NamedInvariant[]]),
  z.strictObject({
    id,
    says: z.string().min(1).max(300),
    store: id,
    sql: sql.describe('A query that must return no row.'),
    at: z
      .enum(['every-step', 'end'])
      .default('every-step')
      .describe('When it is asked; end is after the recovery.'),
  }),
]);

const variant = z.strictObject({
  env: env.optional(),
  violates: z
    .array(z.string())
    .default([])
    .describe('Invariants that this variant violates by design; it then holds.'),
});

const boundaries = z
  .strictObject({
    sources: z.array(z.enum(SOURCES)).min(1).default(['code']),
    include: z.array(z.string()).default([]),
    exclude: z.array(z.string()).default([]),
  })
  .prefault({});

export const programSchema = z.strictObject({
  lab: id.regex(/^[a-z][a-z0-9-]*$/, 'a lab has lower-case letters, digits and hyphens in its name'),
  title: z.string().min(1).max(120),
  summary: z.string().min(1).max(400).default(''),
  services: z.record(serviceId, service).default({}),
  env: env.default({}),
  setup: z
    .array(words)
    .max(20)
    .default([])
    .describe('From an empty directory to the state of every run; done once.'),
  stores: z.record(id, store).refine((value) => Object.keys(value).length > 0, { message: 'has no store' }),
  panels: z.strictObject(
    Object.fromEntries(PANEL_IDS.map((name) => [name, panel.optional()])) as Record<
      (typeof PANEL_IDS)[number],
      z.ZodOptional<typeof panel>
    >,
  ),
  ignore: z
    .array(
      z
        .string()
        .regex(
          /^(operation|target|receipts|events|effects)\.[^.]+$/,
          'is panel.column, like operation.updated_at',
        ),
    )
    .default([])
    .describe('Columns that are shown and never compared: times, pids, generated ids.'),
  operations: texts.min(1).max(20),
  effects: z
    .strictObject({ store: id, sql: sql.optional() })
    .describe('Ground truth: one row an effect, with a column named operation.'),
  settled: z.strictObject({
    panel: z.enum(PANEL_IDS).default('operation'),
    cell: z.string().min(1),
    success: texts.min(1),
    refused: texts.default([]),
    failed: texts.default([]),
    locked: texts.default([]),
  }),
  commands: z
    .record(id, command)
    .refine((value) => Object.keys(value).length > 0, { message: 'has no command' }),
  procedure: z.array(id).min(1).max(20).describe('What is crashed, boundary by boundary.'),
  recovery: z.array(id).min(1).max(20).describe('What happens after each crash.'),
  invariants: z.array(invariant).min(1).max(50),
  boundaries,
  variants: z.record(id, variant).default({}),
});

export type ProgramSpec = z.output<typeof programSchema>;
export type ServiceSpec = ProgramSpec['services'][string];
export type StoreSpec = ProgramSpec['stores'][string];
export type CommandSpec = ProgramSpec['commands'][string];
export type QuerySpec = z.output<typeof query>;
export type UntilSpec = z.output<typeof until>;

/** A time like 500ms, 20s or 2m in milliseconds. */
export function milliseconds(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  return Number(count) * (unit === 'ms' ? 1 : unit === 's' ? 1000 : 60_000);
}

/** JSON Schema of `drill.yaml`, as published at public/drill.schema.json. */
export function programJsonSchema(): object {
  return {
    $id: 'drill.schema.json',
    title: 'Program lab of Recovery Drills',
    ...z.toJSONSchema(programSchema, { target: 'draft-2020-12', io: 'input' }),
  };
}
