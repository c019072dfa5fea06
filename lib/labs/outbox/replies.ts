/** What the lab's replies say: the published status word, the exit code, what it means for whoever reads it. */
import { EXIT } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Outcome, Reply } from '../child.ts';
import type { State } from './terms.ts';

/** Exit code of a reply that says no more than the row does (README.md, "Exit codes"). */
const EXIT_OF: Record<State, number> = {
  done: EXIT.done,
  unknown: EXIT.uncertain,
  blocked: EXIT.uncertain,
  inflight: EXIT.nothingDone,
  pending: EXIT.nothingDone,
};

const MEANING: Record<State, Pick<Reply, 'effect' | 'decision' | 'retryable'>> = {
  done: { effect: 'confirmed', decision: 'none', retryable: false },
  unknown: { effect: 'unknown', decision: 'investigate', retryable: false },
  blocked: { effect: 'unknown', decision: 'investigate', retryable: false },
  inflight: { effect: 'unknown', decision: 'retry-same-key', retryable: true },
  pending: { effect: 'absent', decision: 'retry-same-key', retryable: true },
};

/** Effect, decision and whether the same key may be tried again, as a row's state tells them. */
export const meaning = (state: State): Pick<Reply, 'effect' | 'decision' | 'retryable'> => MEANING[state];

export function byState(status: string, state: State, more: JsonObject): Outcome {
  return { exit: EXIT_OF[state], reply: { status, state, ...more, ...MEANING[state] } };
}

/** Someone else's attempt, or a final state: nothing was done by this call, unless it made the row unknown. */
export function notClaimed(row: { state: State; lease: number | null; expired: boolean }): Outcome {
  return byState('not_claimed', row.state, {
    definite: !row.expired,
    ...(row.lease === null ? {} : { lease: row.lease }),
  });
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
