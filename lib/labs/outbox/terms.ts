/** Words, bounds and pure checks that sender, receiver, manifest and evidence share. No database, no Zod. */
import { canonicalJson, digest } from '../../core/canonical.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';

export const MODES = ['naive', 'mark_before', 'idempotent', 'external'] as const;
export type Mode = (typeof MODES)[number];
export type State = 'pending' | 'inflight' | 'done' | 'unknown' | 'blocked';

/** How the receiver behaves towards the sender. All of them do the work first; they differ in what they say. */
export const RECEIVERS = [
  'honest',
  'silent',
  'error',
  'garbage',
  'megabyte',
  'half-line',
  'never-ends',
  'other-key',
  'other-caller',
  'other-payload',
  'boolean-ticket',
  'extra-field',
] as const;
export type ReceiverVariant = (typeof RECEIVERS)[number];

export const LEASE_TICKS = 10;
export const MAX_TEXT = 2_000;
export const MAX_NAME = 128;
/** The clock stays so far below the largest exact integer that a lease still fits. */
export const MAX_CLOCK = Number.MAX_SAFE_INTEGER - LEASE_TICKS;

export const DEFAULT_KEY = 'op-1';
export const DEFAULT_WISH = 'first run';
export const DEFAULT_CALLER = 'agent-demo';
export const DEFAULT_PAYLOAD = {
  title: 'Synthetic documentation ticket',
  body: 'No real service is called.',
};

export interface Response {
  caller: string;
  operation_key: string;
  payload_hash: string;
  ticket_id: number;
}

/** What a response is compared with: an attempt's own record. */
export interface Identity {
  caller: string;
  operation_key: string;
  payload_hash: string;
}

function textFault(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return 'must be text';
  if (value === '') return 'must not be empty';
  if ([...value].length > max) return `must have at most ${max} characters`;
  // A lone surrogate has no UTF-8 form: the stored value would not be the one that was hashed.
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}

/** @returns what is wrong with a caller or an operation key, or null */
export const nameFault = (value: unknown): string | null => textFault(value, MAX_NAME);

/** @returns what is wrong with a payload (an object with exactly a title and a body), or null */
export function payloadFault(value: unknown): string | null {
  if (!isObject(value)) return 'must be an object with a title and a body';
  const extra = Object.keys(value).find((key) => key !== 'title' && key !== 'body');
  if (extra !== undefined) return `has a field "${extra}" that does not belong there`;
  for (const field of ['title', 'body'] as const) {
    if (!Object.hasOwn(value, field)) return `lacks "${field}"`;
    const fault = textFault(value[field], MAX_TEXT);
    if (fault) return `"${field}" ${fault}`;
  }
  return null;
}

/** @returns what is wrong with a logical clock, or null */
export function clockFault(value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be a whole number of ticks';
  if (value < 0) return 'must not be negative';
  return value > MAX_CLOCK ? `must be at most ${MAX_CLOCK}` : null;
}

/** @returns what is wrong with a stored payload against its stored hash, or null */
export function storedPayloadFault(text: string, hash: string): string | null {
  const value = parse(text);
  if (value === undefined) return 'is not JSON';
  const fault = payloadFault(value);
  if (fault) return fault;
  if (canonicalJson(value) !== text) return 'is not in canonical form';
  return digest(value) === hash ? null : 'does not match its hash';
}

/** @returns why a response is no evidence for this attempt, or null where it is */
export function responseFault(value: unknown, expected: Identity): string | null {
  if (!isObject(value)) return 'it is not an object';
  const names = Object.keys(value).sort().join(',');
  if (names !== 'caller,operation_key,payload_hash,ticket_id') return `its members are ${names || 'none'}`;
  if (value.operation_key !== expected.operation_key) return 'it answers another operation key';
  if (value.caller !== expected.caller) return 'it answers another caller';
  if (value.payload_hash !== expected.payload_hash) return 'it is about another payload';
  const id = value.ticket_id;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 1
    ? null
    : 'its ticket id is no positive whole number';
}

/** @returns the JSON value, or undefined where the text is no JSON */
export function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** @returns the JSON value, or the text itself where it is none: what evidence shows of a damaged cell */
export function parseOrText(text: string | null): Json {
  if (text === null) return null;
  return parse(text) ?? text;
}

/** One name for one intent; `/` inside a caller or a key cannot make two intents look like one. */
export function intentId(caller: string, key: string): string {
  return `${encodeURIComponent(caller)}/${encodeURIComponent(key)}`;
}

/** Effects of one operation have rows of their own, named after it: its mail, its refund. */
export const mailOf = (key: string): string => `${key}:mail`;
export const refundOf = (key: string): string => `${key}:refund`;

/** The answer for a ticket, as the receiver stores and prints it. */
export function responseFor(caller: string, key: string, payload: JsonObject, ticket: number): Response {
  return { caller, operation_key: key, payload_hash: digest(payload), ticket_id: ticket };
}
