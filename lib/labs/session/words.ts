/** Words and sizes that the lab's parts share. */
import type { StoreSpec } from '../contract.ts';

export const SERVICE: StoreSpec = {
  id: 'service',
  file: 'service.sqlite',
  tables: ['documents', 'updates', 'tickets', 'replies', 'ground_truth'],
  panels: ['target', 'receipts', 'events'],
};
export const CLIENT: StoreSpec = {
  id: 'client',
  file: 'client.sqlite',
  tables: ['connections', 'operations', 'requests', 'messages', 'decisions'],
  holders: ['connections.owner', 'connections.server'],
  panels: ['operation', 'receipts', 'events'],
  // A ticket proves an operation where its key and parameters are those that the client recorded.
  joins: ['receipts'],
};
export const STORES = [SERVICE, CLIENT];

export const PROTOCOL_VERSION = '2025-11-25';
export const DOCUMENT = 'report';
export const TOOL = 'create_review_ticket';
export const OPERATION = 'op-1';
export const SOURCE = 'source-001';
export const TITLE = 'Review access';

/** More than this for one message ends the connection: a reply is a few hundred bytes. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Wait for a server that does not even answer a ping, in milliseconds. Only whether it passes is recorded. */
export const BOUNDED_WAIT_MS = 2_500;
/** Wait for a reply that a correct server always gives. Passing it is an outcome of its own. */
export const REPLY_WAIT_MS = 20_000;
/** After the end of its input a server that was well so far gets so long before it is killed. */
export const GRACE_MS = 15_000;
/** The same for a server that had stopped reacting before: it is killed at once, so to speak. */
export const SHORT_GRACE_MS = 250;

export const SAFEGUARDS = [
  'version-check',
  'unique-key',
  'epoch-in-identity',
  'fresh-catalogue',
  'uncertain-survives',
  'reconcile-compares',
  'own-effect',
] as const;
export type Safeguard = (typeof SAFEGUARDS)[number];

export const CONCLUSIONS = ['confirmed', 'absent', 'void'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** Statuses of an operation that nothing changes any more. */
export const FINAL: readonly unknown[] = ['completed', 'reconciled', 'void'];

/** What a look-up has left uncertain: looking again at once shows no more. */
export const FOR_A_PERSON: readonly unknown[] = ['ticket-differs', 'ticket-of-another'];

/**
 * What is to be done about operations that are uncertain for these reasons: the same word for the same record,
 * whichever command answers.
 */
export function decisionAbout(reasons: readonly unknown[]): 'investigate' | 'reconcile' | 'retry-same-key' {
  if (reasons.some((reason) => FOR_A_PERSON.includes(reason))) return 'investigate';
  return reasons.every((reason) => reason === 'no-ticket-yet') ? 'retry-same-key' : 'reconcile';
}

/**
 * True where the request that made a ticket is one of these. A bare counter names no connection, so it matches the
 * counter of any: that is what the epoch in the identity prevents.
 *
 * @param maker the ticket's `request`; null where its client had no connection
 */
export const isAmong = (maker: unknown, requests: readonly string[]): boolean =>
  typeof maker === 'string' &&
  requests.some((request) => request === maker || request.split(':')[1] === maker);

/** True while the rule is in force. */
export const keeps = (without: ReadonlySet<string>, name: Safeguard): boolean => !without.has(name);

/** How the server is to behave: each one a thing that real servers do. */
export const ANSWERS = [
  'normal',
  'never',
  'after-cancel',
  'second-first',
  'together',
  'in-parts',
  'half',
  'hung',
  'malformed',
  'noise',
  'oversized',
  'other-version',
  'result-and-error',
  'neither',
  'batch',
] as const;
export type Answer = (typeof ANSWERS)[number];

export interface ServerSpec {
  answer?: Answer;
  /** Whether the server has the tools capability. */
  tools?: boolean;
  protocolVersion?: string;
  /** The catalogue changes while a listing is being answered. */
  changesWhileListing?: boolean;
  /** The program to start is not there. */
  missing?: boolean;
}

/** A call's meaning: the same target and equal parameters under an equal key are the same operation. */
export interface TicketParameters {
  /** What the call is made to: one tool makes tickets, and a ticket proves nothing about a call of another. */
  tool: string;
  source: string;
  title: string;
}
