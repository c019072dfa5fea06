/** What an outbox row, with what came late and what was decided, permits to conclude. Pure. */
import { isObject, type Json } from '../../core/json.ts';
import type { Reply } from '../child.ts';
import { type Mode, parse, type State } from './terms.ts';

export type Conclusion = 'confirmed' | 'absent' | 'void';

/** What of a row a reply, an operator and a recovery rest on. */
export interface Told {
  state: State;
  mode: Mode;
  attempts: number;
  /** As stored, or as evidence shows it. */
  response: Json;
  /** Tickets that responses named after the row had gone on. */
  late: (number | null)[];
  /** What a person decided about the current attempt. */
  decision: { conclusion: Conclusion; ticket: number | null } | null;
  /** Attempts up to this one made nothing: a person decided so. */
  cleared: number;
}

export type Meaning = Required<Pick<Reply, 'effect' | 'decision' | 'retryable'>>;

const UNKNOWN: Meaning = { effect: 'unknown', decision: 'investigate', retryable: false };
const CONFIRMED: Meaning = { effect: 'confirmed', decision: 'none', retryable: false };
const ABSENT: Meaning = { effect: 'absent', decision: 'retry-same-key', retryable: true };

/** Modes whose other side keeps nothing by which it could recognise a delivery that comes again. */
export const FORGETFUL: readonly Mode[] = ['naive', 'external'];

/** @returns the ticket that a response names, or null */
export function ticketOf(response: Json): number | null {
  const value = typeof response === 'string' ? parse(response) : response;
  return isObject(value) && typeof value.ticket_id === 'number' ? value.ticket_id : null;
}

/** A row whose word is no answer: it says that it cannot say, or it said done before the work. */
export const inDoubt = ({ state, response }: Told): boolean =>
  state === 'unknown' || state === 'blocked' || (state === 'done' && response === null);

/** May a delivery that nobody accounts for have made a ticket of its own? */
const unaccounted = ({ mode, attempts, cleared }: Told): boolean =>
  FORGETFUL.includes(mode) && attempts - cleared > 1;

/** @returns the one ticket that late responses of this operation prove, or null */
export function proofOf(told: Told): number | null {
  const named = new Set(told.late);
  const [ticket = null] = named;
  return named.size === 1 && !unaccounted(told) ? ticket : null;
}

/** Effect, decision and whether the same key may be tried again: one answer for one state of the record. */
export function meaning(told: Told): Meaning {
  const { state, mode, response, late, decision } = told;
  if (state === 'pending') return ABSENT;
  if (state === 'inflight') return FORGETFUL.includes(mode) ? UNKNOWN : { ...ABSENT, effect: 'unknown' };
  const settled = decision && decision.conclusion !== 'absent';
  if (inDoubt(told) && !settled) {
    if (proofOf(told) !== null) return { ...CONFIRMED, decision: 'reconcile' };
    return decision && late.length === 0 ? ABSENT : UNKNOWN;
  }
  const held = ticketOf(response) ?? decision?.ticket ?? null;
  // A ticket that no record holds: the word of the row is not the whole of what happened.
  if (late.some((ticket) => ticket !== held)) return UNKNOWN;
  if (settled) return held === null ? { ...UNKNOWN, decision: 'none' } : CONFIRMED;
  return unaccounted(told) ? UNKNOWN : CONFIRMED;
}
