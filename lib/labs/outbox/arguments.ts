/** The lab's commands with their arguments; the bounds are those that the commands themselves check. */
import { z } from 'zod';
import type { CommandSpec } from '../contract.ts';
import {
  DEFAULT_CALLER,
  DEFAULT_KEY,
  DEFAULT_PAYLOAD,
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
    args: z.object({ key, caller, mode, payload }),
    kind: 'act',
  },
  {
    name: 'dispatch',
    summary: 'Claims one row, sends it to the receiver, records the acknowledgement. Also how one recovers.',
    args: z.object({ key, receiver, deadlineMs }),
    kind: 'recover',
  },
  {
    name: 'claim',
    summary: 'Claims one row and sends nothing, as a sender that dies right after.',
    args: z.object({ key }),
    kind: 'act',
  },
  {
    name: 'receive',
    summary: "Delivers by hand, past the sender's record, its lease and its unknown.",
    args: z.object({ key, caller, mode, payload }),
    kind: 'trap',
  },
  {
    name: 'snapshot',
    summary: 'Counts intents, tickets and receipts. Writes nothing.',
    args: z.object({ key }),
    kind: 'observe',
  },
];
