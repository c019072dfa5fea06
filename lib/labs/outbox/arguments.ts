/** The lab's commands with their arguments; the bounds are those that the commands themselves check. */
import { z } from 'zod';
import type { CommandSpec } from '../contract.ts';
import {
  DEFAULT_CALLER,
  DEFAULT_KEY,
  DEFAULT_PAYLOAD,
  DEFAULT_WISH,
  MAX_TEXT,
  MODES,
  nameFault,
  payloadFault,
  RECEIVERS,
} from './terms.ts';

const named = () =>
  z.string().superRefine((value, context) => {
    const fault = nameFault(value);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

const key = named()
  .default(DEFAULT_KEY)
  .describe('Operation key: the name of the intent, at most 128 characters.');
const caller = named()
  .default(DEFAULT_CALLER)
  .describe('Who asks, at most 128 characters. A key belongs to its caller.');
const mode = z.enum(MODES).default('idempotent').describe('What sender and receiver do about lost answers.');
const payload = z
  .unknown()
  .superRefine((value, context) => {
    const fault = payloadFault(value);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  })
  .default(DEFAULT_PAYLOAD)
  .describe('{"title", "body"}: exactly these, non-empty text of at most 2,000 characters.');
const receiver = z
  .enum(RECEIVERS)
  .default('honest')
  .describe('How the receiver answers. All of them do the work; most then say something else.');
const wish = named()
  .default(DEFAULT_WISH)
  .describe('Which wish the key stands for: another run of the same work is another wish.');
const mail = z
  .boolean()
  .default(false)
  .describe('A second effect of the same operation: a mail by the external tool, once the first is done.');
const conclusion = z
  .enum(['confirmed', 'absent', 'void'])
  .describe('What the review showed: the effect is there, it is not, or the operation is given up.');
const reference = z.int().min(1).optional().describe('Number of the ticket that the decision is about.');
const words = z.string().min(1).max(MAX_TEXT).describe('In plain words, at most 2,000 characters.');
const deadlineMs = z
  .int()
  .min(100)
  .max(20_000)
  .default(10_000)
  .describe('How long to wait for the receiver, in milliseconds.');

export const commandSpecs: CommandSpec[] = [
  {
    name: 'init',
    summary: 'Creates the three databases. Nothing that exists is overwritten.',
    args: z.object({}),
    kind: 'act',
  },
  {
    name: 'enqueue',
    summary: 'Records a request and its outbox row in one commit.',
    args: z.object({ key, caller, mode, payload, wish, mail }),
    kind: 'act',
  },
  {
    name: 'dispatch',
    summary: 'Claims one row, sends it to the receiver, records the acknowledgement. Also how one recovers.',
    args: z.object({ key, receiver, deadlineMs }),
    kind: 'recover',
  },
  {
    name: 'compensate',
    summary: 'Records the refund of a confirmed effect as an operation of its own, `<key>:refund`.',
    args: z.object({ key }),
    kind: 'act',
  },
  {
    name: 'claim',
    summary: 'Claims one row and sends nothing, as a sender that dies right after.',
    args: z.object({ key }),
    kind: 'act',
  },
  {
    name: 'recover',
    summary: "Reads the operation's own proof, a receipt or a late response, and sends nothing.",
    args: z.object({ key }),
    kind: 'recover',
  },
  {
    name: 'resolve',
    summary: 'Records what a person decided about an operation in doubt, as a row of its own.',
    args: z.object({ operation: key, conclusion, reference, looked: words, showed: words, by: words }),
    kind: 'recover',
  },
  {
    name: 'receive',
    summary: "Delivers by hand, past the sender's record, its lease and its unknown.",
    args: z.object({ key, caller, mode, payload }),
    kind: 'trap',
  },
  {
    name: 'sweep',
    summary:
      'Removes tickets of the receiver whose intent the sender does not know, as a collector of orphans.',
    args: z.object({}),
    kind: 'other-actor',
  },
  {
    name: 'snapshot',
    summary: 'Counts intents, tickets and receipts. Writes nothing.',
    args: z.object({ key }),
    kind: 'observe',
  },
];
