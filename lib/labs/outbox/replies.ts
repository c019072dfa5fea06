/** What the lab's replies say: the published status word, the exit code, what it means for whoever reads it. */
import { EXIT } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Outcome, Reply } from '../child.ts';
import type { Mode, State } from './terms.ts';

/** Exit code of a reply that says no more than the row does (README.md, "Exit codes"). */
const EXIT_OF: Record<State, number> = {
  done: EXIT.done,
  unknown: EXIT.uncertain,
  blocked: EXIT.uncertain,
  inflight: EXIT.nothingDone,
  pending: EXIT.nothingDone,
};

type Meaning = Pick<Reply, 'effect' | 'decision' | 'retryable'>;

const MEANING: Record<State, Meaning> = {
  done: { effect: 'confirmed', decision: 'none', retryable: false },
  unknown: { effect: 'unknown', decision: 'investigate', retryable: false },
  blocked: { effect: 'unknown', decision: 'investigate', retryable: false },
  inflight: { effect: 'unknown', decision: 'retry-same-key', retryable: true },
  pending: { effect: 'absent', decision: 'retry-same-key', retryable: true },
};

/** What of a row a reply rests on. */
export interface Told {
  state: State;
  mode: Mode;
  response: string | null;
}

/** Modes whose other side keeps nothing by which it could recognise a delivery that comes again. */
const FORGETFUL: readonly Mode[] = ['naive', 'external'];

/** Effect, decision and whether the same key may be tried again, as a row tells them. */
export function meaning({ state, mode, response }: Told): Meaning {
  // The word alone was written before the work: `mark_before`.
  const unproven = state === 'done' && response === null;
  const guess = state === 'inflight' && FORGETFUL.includes(mode);
  return unproven || guess ? MEANING.unknown : MEANING[state];
}

export function byState(status: string, row: Told, more: JsonObject): Outcome {
  return { exit: EXIT_OF[row.state], reply: { status, state: row.state, ...more, ...meaning(row) } };
}

/** The receiver's own finding, told to whoever delivered by hand. */
export function receiptCorrupt(message: string): Outcome {
  const reply = { status: 'corrupt', state: 'blocked', message, definite: true, ...MEANING.blocked };
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

export function conflict(message: string): Outcome {
  return {
    exit: EXIT.refused,
    reply: { status: 'conflict', message, definite: true, decision: 'investigate', retryable: false },
  };
}
