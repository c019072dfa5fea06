/** What the lab's replies say: the published status word, the exit code, what it means for whoever reads it. */
import { EXIT } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Outcome } from '../child.ts';
import { type Meaning, meaning, type Told } from './standing.ts';
import type { State } from './terms.ts';

const STUCK: Meaning = { effect: 'unknown', decision: 'investigate', retryable: false };

/** Exit code of a reply that says no more than the row does (README.md, "Exit codes"). */
function exitOf(state: State, { decision }: Meaning): number {
  if (state === 'inflight' || decision === 'retry-same-key') return EXIT.nothingDone;
  return decision === 'none' ? EXIT.done : EXIT.uncertain;
}

/** A reply that tells the row as it stands. */
export function byState(status: string, row: Told, more: JsonObject): Outcome {
  const means = meaning(row);
  return { exit: exitOf(row.state, means), reply: { status, state: row.state, ...more, ...means } };
}

/** The receiver's own finding, told to whoever delivered by hand. */
export function receiptCorrupt(message: string): Outcome {
  const reply = { status: 'corrupt', state: 'blocked', message, definite: true, ...STUCK };
  return { exit: EXIT.uncertain, reply };
}

/** Member `lease`, where the row has one. */
export const leaseOf = ({ lease }: { lease: number | null }): JsonObject => (lease === null ? {} : { lease });

/** Someone else's attempt, or a final state: nothing was done by this call, unless it made the row unknown. */
export function notClaimed(row: Told & { lease: number | null }, expired: boolean): Outcome {
  return byState('not_claimed', row, { definite: !expired, ...leaseOf(row) });
}

export function neverEnqueued(key: string): Outcome {
  const message = `The key "${key}" was never enqueued here; enqueue it first.`;
  return { exit: EXIT.refused, reply: { status: 'not_enqueued', message, definite: true } };
}

export function payloadCorrupt(fault: string): Outcome {
  const message = `The stored payload ${fault}; it was not sent, and the row and its attempts are as they were.`;
  return {
    exit: EXIT.refused,
    reply: { status: 'payload_corrupt', message, definite: true, decision: 'investigate', retryable: false },
  };
}

/** A decision that the evidence, or an attempt still at work, speaks against. */
export function refused(message: string): Outcome {
  return { exit: EXIT.refused, reply: { status: 'refused', message, definite: true } };
}

export function conflict(message: string): Outcome {
  return {
    exit: EXIT.refused,
    reply: { status: 'conflict', message, definite: true, decision: 'investigate', retryable: false },
  };
}
