/** The outbox lab, as the dashboard and the command line see it. */
import type { Lab } from '../contract.ts';
import { commandSpecs } from './arguments.ts';
import { assess, investigations, runbook } from './assessment.ts';
import { boundaries, commits, lanes } from './boundaries.ts';
import { readEvidence } from './evidence.ts';
import { invariants } from './invariants.ts';
import { next, procedures } from './procedures.ts';
import { remarks } from './remarks.ts';
import { damages, safeguards } from './safeguards.ts';
import { STORES } from './stores.ts';

export const lab: Lab = {
  id: 'outbox',
  title: 'Outbox: sender, receiver, external tool',
  summary:
    'A sender writes its intent, claims it, and has another process do the work; three databases, three commits, and only what comes back on a pipe. What may a sender conclude when nothing comes back?',
  provesNot: [
    'Exactly once across systems that share no commit: the receiver absorbs a repeated call, it does not prevent it.',
    'Anything about a network: sender and receiver are processes on one machine, joined by a pipe.',
    'Power loss or a disk that lies: processes die here, the operating system does not.',
    'That an attempt number stops a slow worker: it fences the record, not the call.',
    'How long receipts must be kept: here they are kept until a damage deletes them.',
  ],
  stores: STORES.map((store) => ({ ...store })),
  lanes,
  commits,
  boundaries,
  commands: commandSpecs,
  clock: true,
  freshProcess: true,
  damages,
  safeguards,
  readEvidence,
  remarks,
  invariants,
  assess,
  investigations,
  runbook,
  procedures,
  next,
  intentArgs: ['operation', 'key'],
  makes: { one: 'ticket', many: 'tickets', is: () => true },
  children: ['receiver.ts'],
  unasked: ['external'],
  headlines: {
    operation: [{ cell: 'state' }],
    target: [{ one: 'ticket', many: 'tickets' }],
    receipts: [{ one: 'receipt', many: 'receipts' }],
    events: [{ one: 'event', many: 'events' }],
  },
  playlist: [
    { scenario: 'outbox/naive-lost-ack', minutes: 8 },
    { scenario: 'outbox/idempotent-lost-ack', minutes: 6 },
    { scenario: 'outbox/mark-before-send-loses-task', minutes: 5 },
    { scenario: 'outbox/after-response-write', minutes: 5 },
    { scenario: 'outbox/stale-worker', minutes: 10 },
    { scenario: 'outbox/before-external-effect', minutes: 5 },
    { scenario: 'outbox/after-external-effect', minutes: 5 },
    { scenario: 'outbox/unsafe-external-retry', minutes: 6 },
    { scenario: 'outbox/receipts-deleted', minutes: 8 },
  ],
  oracle: async () => (await import('./oracle.ts')).oracleSpec(),
};
