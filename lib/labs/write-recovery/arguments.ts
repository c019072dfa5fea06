/** Commands and their arguments: types and bounds here, and once more in plain code where the command runs. */
import { z } from 'zod';
import type { CommandSpec } from '../contract.ts';
import {
  DEFAULT_ACTION,
  DEFAULT_BUDGET,
  DEFAULT_CONTEXT,
  DEFAULT_RUN,
  MAX_BUDGET,
  MAX_FIELD,
  MAX_NAME,
  MAX_TICKS,
  MAX_VALID_FIELD,
  operationId,
} from './words.ts';

const name = z.string().min(1).max(MAX_NAME);

const context = z
  .strictObject({
    tenant: name,
    principal: name,
    policyVersion: z.int().min(0).max(MAX_TICKS),
    allowed: z.boolean(),
  })
  .default({ ...DEFAULT_CONTEXT })
  .describe('Who asks, under which policy: { tenant, principal, policyVersion, allowed }.');

// A tool that does not exist and an empty source are well-formed: the run records them as failed.
const field = z.string().max(MAX_FIELD);
const shape = z.strictObject({ source: field, title: field, tool: field });
const action = shape.default({ ...DEFAULT_ACTION }).describe('What is to be done: { source, title, tool }.');

const approval = z
  .union([z.string().max(MAX_NAME), z.looseObject({ digest: z.string().max(MAX_NAME) })])
  .nullable()
  .default(null)
  .describe('The approval as approve prints it, or its digest alone.');

const note = z.string().min(1).max(MAX_VALID_FIELD);
const run = name.default(DEFAULT_RUN).describe('Run id. A new task is a new run.');
const tenant = name.default(DEFAULT_CONTEXT.tenant).describe('Tenant at the ticket service.');

export const commandSpecs: CommandSpec[] = [
  {
    name: 'init',
    summary: 'Creates both databases. What is there is never overwritten.',
    args: z.object({
      lag: z.int().min(0).max(MAX_TICKS).default(0).describe('A look-up sees a ticket so many ticks later.'),
      keys: z.boolean().default(true).describe('Whether the service knows operation keys.'),
    }),
    kind: 'act',
  },
  {
    name: 'approve',
    summary: 'Prints an approval of exactly this. A fingerprint, not a signature. Writes nothing.',
    args: z.object({ context, run, action }),
    kind: 'observe',
    printsReply: true,
  },
  {
    name: 'run',
    summary: 'Starts a task, or resumes it: the nine rules, each in a commit of its own.',
    args: z.object({
      context,
      run,
      action,
      expected: shape
        .optional()
        .describe('The trusted goal, kept apart from the action; the action if left out.'),
      approval,
      budget: z.int().min(0).max(MAX_BUDGET).default(DEFAULT_BUDGET).describe('Attempts that may be spent.'),
      cancel: z.boolean().default(false).describe('Asks for a cancellation. Cancelling is not undoing.'),
    }),
    kind: 'act',
  },
  {
    name: 'lookup',
    summary: "Looks the run's ticket up at the service, under any policy. Writes nothing.",
    args: z.object({ context, run, action }),
    kind: 'observe',
  },
  {
    name: 'create',
    summary: 'Another client of the service creates a ticket. The truth alone knows whose it is.',
    args: z.object({ tenant, key: name.describe('Operation key, as run-1:ticket.'), action }),
    kind: 'other-actor',
  },
  {
    name: 'take',
    summary: 'Another client begins to work on a ticket; from then on it cannot be voided.',
    args: z.object({ tenant, ticket: z.int().min(1).default(1).describe('Number of the ticket.') }),
    kind: 'other-actor',
  },
  {
    name: 'compensate',
    summary: 'Voids the ticket of a failed or cancelled run: a new operation, with its own approval.',
    args: z.object({ context, run, approval }),
    kind: 'recover',
  },
  {
    name: 'resolve',
    summary: 'Records what a person decided after a review. Refused where the evidence contradicts it.',
    args: z.object({
      operation: z
        .string()
        .min(1)
        .max(MAX_NAME * 3)
        .default(operationId(DEFAULT_CONTEXT.tenant, DEFAULT_RUN, 'ticket'))
        .describe('The operation that is decided.'),
      conclusion: z
        .enum(['confirmed', 'absent', 'void'])
        .describe('confirmed: the ticket is ours. absent: there is none. void: give the operation up.'),
      reference: z
        .string()
        .regex(/^ticket-\d{1,15}$/, 'a reference is a ticket, as ticket-1')
        .optional()
        .describe('With confirmed: the ticket.'),
      looked: note.describe('What was looked at.'),
      showed: note.describe('What it showed.'),
      by: name.describe('Who decided.'),
    }),
    kind: 'recover',
  },
  {
    name: 'inspect',
    summary: 'Shows everything but the ground truth. Writes nothing.',
    args: z.object({}),
    kind: 'observe',
  },
];
