/** What came back from the receiver, told apart: a pure function of the child's end and its output. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { type Identity, parse, responseFault } from './terms.ts';

/** A child's end, as `spawnSync` tells it. */
export interface ChildEnd {
  stdout: string;
  status: number | null;
  signal: string | null;
  /** `ETIMEDOUT` where the deadline ended it, `ENOBUFS` where it said too much. */
  errorCode: string | null;
}

export type Answer =
  /** A complete, valid response: evidence, whatever became of the receiver afterwards. */
  | { kind: 'response'; response: JsonObject }
  /** The receiver says that it did not do it, and why. */
  | { kind: 'refused'; refused: string; message: string }
  /** Something arrived that proves nothing. */
  | { kind: 'invalid'; why: string }
  /** Nothing arrived. */
  | { kind: 'silence'; why: string };

function refusal(value: JsonObject, expected: Identity): Answer | null {
  if (typeof value.refused !== 'string') return null;
  if (value.caller !== expected.caller || value.operation_key !== expected.operation_key) {
    return { kind: 'invalid', why: 'it is a refusal of something else' };
  }
  if (value.refused === 'busy') return { kind: 'silence', why: 'the receiver was busy' };
  return { kind: 'refused', refused: value.refused, message: String(value.message ?? '') };
}

function unchecked(stdout: string): Answer {
  const value = parse(stdout);
  return { kind: 'response', response: isObject(value) ? value : { said: stdout.slice(0, 200) } };
}

/**
 * @param end how the child ended and what it printed
 * @param expected what a response must be about
 * @param without `response-check` off: whatever was printed counts; `valid-response-outlives-exit` off: a
 *   response from a receiver that did not end well counts as none
 */
export function judgeAnswer(end: ChildEnd, expected: Identity, without: ReadonlySet<string>): Answer {
  const loose = without.has('response-check');
  const complete = end.stdout.endsWith('\n');
  if (end.errorCode === 'ENOBUFS' && !loose)
    return { kind: 'invalid', why: 'it is longer than any response' };
  if (end.stdout === '') return { kind: 'silence', why: silenceReason(end) };
  // Cut off by our own deadline: that half a line is there says nothing about the receiver.
  if (end.errorCode === 'ETIMEDOUT' && !complete) return { kind: 'silence', why: silenceReason(end) };
  const value = complete ? parse(end.stdout) : undefined;
  const refused = isObject(value) ? refusal(value, expected) : null;
  if (refused) return refused;
  const badEnd = end.status !== 0;
  if (badEnd && without.has('valid-response-outlives-exit'))
    return { kind: 'silence', why: silenceReason(end) };
  if (loose) return unchecked(end.stdout);
  if (!complete) return { kind: 'invalid', why: 'it breaks off in the middle of a line' };
  if (value === undefined) return { kind: 'invalid', why: 'it is not JSON' };
  const fault = responseFault(value, expected);
  return fault ? { kind: 'invalid', why: fault } : { kind: 'response', response: value as JsonObject };
}

function silenceReason(end: ChildEnd): string {
  if (end.errorCode === 'ETIMEDOUT') return 'the receiver did not answer before the deadline';
  if (end.signal) return `the receiver was ended by ${end.signal} without an answer`;
  return `the receiver ended with ${end.status ?? 'no exit code'} without an answer`;
}
