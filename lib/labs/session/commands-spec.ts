/** Commands and their arguments, for the parent side: everything is checked before an executor starts. */
import { z } from 'zod';
import type { CommandSpec } from '../contract.ts';
import { ANSWERS, CONCLUSIONS, OPERATION, PROTOCOL_VERSION, SOURCE, TITLE, TOOL } from './words.ts';

const MAX_ID = 120;
const MAX_TEXT = 4_000;
const MAX_ACTIONS = 60;

const id = z.string().min(1).max(MAX_ID);
const text = z.string().max(MAX_TEXT);
const as = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'a name has lower-case letters, digits and hyphens')
  .optional()
  .describe('Name of the outcome in the reply.');
const wait = z.boolean().optional().describe('False: go on at once and look at the reply later.');

/** Answers a name that does not exist with those that do. */
const existing = (what: string, names: readonly string[]) => ({
  error: ({ input }: { input?: unknown }) =>
    `there is no ${what} ${JSON.stringify(input) ?? 'without a name'}; there are ${names.join(', ')}`,
});

const STOPS = ['before-initialize', 'after-initialize', 'before-initialized'] as const;
const ACTIONS = [
  'connect',
  'continue',
  'list-tools',
  'ping',
  'call',
  'await',
  'cancel',
  'deliver',
  'disconnect',
] as const;

const server = z.strictObject({
  answer: z.enum(ANSWERS, existing('answer', ANSWERS)).optional().describe('How the server answers a call.'),
  tools: z.boolean().optional().describe('False: the server has no tools capability.'),
  protocolVersion: id.optional().describe(`What the server answers instead of ${PROTOCOL_VERSION}.`),
  changesWhileListing: z.boolean().optional().describe('The catalogue changes while it is being listed.'),
  missing: z.boolean().optional().describe('The program to start is not there.'),
});

/** A second outcome under a name would take the place of the first. */
function namedOnce(actions: readonly { as?: string | undefined }[], context: z.RefinementCtx): void {
  const names = actions.map((one) => one.as);
  names.forEach((name, index) => {
    if (name === undefined || names.indexOf(name) === index) return;
    const message = `an earlier action has the name ${name} already; each outcome has one of its own`;
    context.addIssue({ code: 'custom', path: [index, 'as'], message });
  });
}

const action = z.discriminatedUnion(
  'do',
  [
    z.strictObject({
      do: z.literal('connect'),
      as,
      server: server.optional(),
      stop: z.enum(STOPS, existing('stop', STOPS)).optional(),
    }),
    z.strictObject({ do: z.literal('continue'), as }),
    z.strictObject({ do: z.literal('list-tools'), as, wait }),
    z.strictObject({ do: z.literal('ping'), as, wait }),
    z.strictObject({
      do: z.literal('call'),
      as,
      operation: id,
      source: text,
      title: text,
      tool: id.optional().describe(`${TOOL} if left out.`),
      patience: z
        .enum(['reply', 'pings', 'bounded'])
        .optional()
        .describe('What ends the wait: the reply; two pings answered after the call; a bounded time.'),
      wait,
    }),
    z.strictObject({ do: z.literal('await'), as, request: id, note: id.optional() }),
    z.strictObject({ do: z.literal('cancel'), as, request: id }),
    z.strictObject({
      do: z.literal('deliver'),
      as,
      reply: id.describe('Operation whose recorded reply is delivered, at message level.'),
    }),
    z.strictObject({ do: z.literal('disconnect'), as }),
  ],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? existing('action', ACTIONS).error({ input: (input as { do?: unknown } | null)?.do })
        : undefined,
  },
);

export const commands: CommandSpec[] = [
  {
    name: 'init',
    summary: 'Creates both databases. What is there is never overwritten.',
    args: z.object({}),
    kind: 'act',
  },
  {
    name: 'converse',
    summary: 'Goes through a list of actions over one connection after another, as one client.',
    args: z.object({
      actions: z
        .array(action)
        .min(1)
        .max(MAX_ACTIONS)
        .superRefine(namedOnce)
        .default([
          { do: 'connect' },
          { do: 'list-tools' },
          { do: 'call', operation: OPERATION, source: SOURCE, title: TITLE },
          { do: 'disconnect' },
        ])
        .describe(`Actions: ${ACTIONS.join(', ')}.`),
    }),
    kind: 'act',
  },
  {
    name: 'reconcile',
    summary: 'Looks the ticket up, compares target and parameters, and only then closes the entry.',
    args: z.object({ operation: id.default(OPERATION).describe('The uncertain operation.') }),
    kind: 'recover',
  },
  {
    name: 'resolve',
    summary: 'Records what a person found out about an operation that the evidence leaves open.',
    args: z.object({
      operation: id.default(OPERATION).describe('The uncertain operation.'),
      conclusion: z
        .enum(CONCLUSIONS)
        .default('absent')
        .describe('confirmed: it happened; absent: it may be called again; void: it is given up.'),
      reference: z.int().min(1).optional().describe('Number of the ticket, with confirmed.'),
      looked: z.string().min(1).max(MAX_TEXT).default('tickets under the key, processes of its connections'),
      showed: z.string().min(1).max(MAX_TEXT).default('no ticket of ours, and nothing that could still act'),
      by: z.string().min(1).max(MAX_ID).default('operator').describe('Who decided.'),
    }),
    kind: 'recover',
  },
  {
    name: 'update-document',
    summary: 'One writer: reads the document, writes on top of the version it has read.',
    args: z.object({
      operation: id.default('update-001').describe('Names this update; the same one is accepted once.'),
      body: text.default('reviewed').describe('The new text.'),
      expected: z.int().min(1).optional().describe('Version read before; left out, it is read now.'),
    }),
    kind: 'act',
  },
  {
    name: 'create-ticket',
    summary: 'Another client of the service asks for a ticket, without any connection.',
    args: z.object({
      operation: id.default(OPERATION).describe('Operation key.'),
      source: z.string().min(1).max(200).default(SOURCE),
      title: z.string().min(1).max(200).default(TITLE),
    }),
    kind: 'other-actor',
  },
  {
    name: 'inspect',
    summary: 'Shows everything but the ground truth. Writes nothing.',
    args: z.object({}),
    kind: 'observe',
  },
];
