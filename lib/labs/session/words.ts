/** Words and sizes that the lab's parts share. */
import type { StoreSpec } from '../contract.ts';

export const SERVICE: StoreSpec = {
  id: 'service',
  file: 'service.sqlite',
  tables: ['documents', 'updates', 'tickets', 'replies', 'ground_truth'],
  panels: ['target', 'receipts'],
};
export const CLIENT: StoreSpec = {
  id: 'client',
  file: 'client.sqlite',
  tables: ['connections', 'operations', 'requests', 'messages'],
  holders: ['connections.owner'],
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
] as const;
export type Safeguard = (typeof SAFEGUARDS)[number];

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
