/** Replies of `run`: what is recorded, what the evidence says of the effect, what may be done now. */
import { EXIT } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Decision, Effect } from '../../evidence/model.ts';
import { commit } from '../../sqlite/open.ts';
import type { Outcome } from '../child.ts';
import { addEvent, type RunRow, readRun } from './record.ts';
import type { Work } from './stores.ts';
import { operationId, RUNS, type RunState, ticketName } from './words.ts';

/** Exit codes follow the recorded state, also when it is returned again (README.md, "Exit codes"). */
const EXIT_OF: Record<RunState, number> = {
  created: EXIT.uncertain,
  dispatching: EXIT.uncertain,
  verifying: EXIT.uncertain,
  reconcile_required: EXIT.uncertain,
  succeeded: EXIT.done,
  cancelled: EXIT.done,
  denied: EXIT.refused,
  waiting_approval: EXIT.refused,
  failed: EXIT.refused,
  budget_exhausted: EXIT.refused,
};

export interface Conclusion {
  effect: Effect;
  decision: Decision;
  retryable: boolean;
}

const say = (effect: Effect, decision: Decision, retryable = false): Conclusion => ({
  effect,
  decision,
  retryable,
});

type Known = Pick<RunRow, 'state' | 'ticket' | 'dispatchedAt' | 'doubt'>;

/**
 * What a record permits. After a dispatch a look-up that found nothing is no proof while a worker may live, so what is
 * not recorded stays unknown; a cancellation alone commits itself to what it found.
 */
export function conclude({ state, ticket, dispatchedAt, doubt }: Known): Conclusion {
  if (doubt) return say('unknown', 'investigate');
  const found: Effect = ticket !== null ? 'confirmed' : dispatchedAt === null ? 'absent' : 'unknown';
  switch (state) {
    case 'succeeded':
      return say('confirmed', 'none');
    case 'cancelled':
      return say(ticket === null ? 'absent' : 'confirmed', 'none');
    case 'failed':
    case 'budget_exhausted':
      return say(found, found === 'unknown' ? 'investigate' : 'none');
    case 'waiting_approval':
    case 'created':
      return found === 'absent' ? say('absent', 'retry-same-key', true) : say(found, 'reconcile');
    case 'denied':
      return say(found, found === 'unknown' ? 'investigate' : 'none');
    default:
      return say(found === 'absent' ? 'unknown' : found, 'reconcile');
  }
}

/** @param acted whether this process made the effect: then no refusal of its is definite */
export function answer(row: RunRow, acted: boolean, more: JsonObject = {}): Outcome {
  const exit = EXIT_OF[row.state];
  const { tenant, run, state, attempts, budget, ticket } = row;
  return {
    exit,
    reply: {
      status: state,
      operation: operationId(tenant, run, 'ticket'),
      attempts,
      budget,
      ticket: ticket === null ? null : ticketName(ticket),
      ...conclude(row),
      ...(exit === 0 ? {} : { definite: !acted }),
      ...more,
    },
  };
}

/**
 * The answer of an executor whose decision came too late: what is recorded stays, and its exit code is the one given. A
 * ticket that this process made itself is said, whatever the record says of it.
 */
export function superseded(work: Work, from: RunRow, made: number | null): Outcome {
  const row = readRun(work.runs, from.tenant, from.run) ?? from;
  if (made !== null && row.ticket !== made) {
    // The record does not hold this ticket: it is taken in as a row of its own, and a person has to look.
    commit(work.runs, RUNS.id, 'late-result', {}, () =>
      addEvent(
        work.runs,
        row,
        'ticket',
        'late_result',
        `${ticketName(made)} was made by a superseded attempt`,
      ),
    );
    const known = { ticket: ticketName(made), effect: 'confirmed', decision: 'investigate' } as const;
    const late = { status: 'superseded', recorded: row.state, definite: false, retryable: false };
    return { ...answer(row, true, { ...known, ...late }), exit: EXIT.uncertain };
  }
  const known: JsonObject =
    made === null ? {} : { ticket: ticketName(made), effect: 'confirmed', decision: 'none' };
  const late = { status: 'superseded', recorded: row.state, definite: made === null };
  return answer(row, made !== null, { ...known, ...late });
}

/** A refusal that recorded nothing. */
export function refusal(status: string, message: string, more: JsonObject = {}): Outcome {
  return { exit: EXIT.refused, reply: { status, ...more, definite: true, message } };
}
