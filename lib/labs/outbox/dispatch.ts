/** `dispatch`: claim, send, acknowledge. Three places where the process may end; no transaction is open while sending. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundary, spawnRoleSync } from '../../boundary/boundary.ts';
import { canonicalJson } from '../../core/canonical.ts';
import type { Db } from '../../sqlite/open.ts';
import type { Context, Outcome } from '../child.ts';
import { type Answer, judgeAnswer } from './answer.ts';
import { byState, meaning, neverEnqueued, notClaimed, payloadCorrupt } from './replies.ts';
import { claimRow, conclude, type Job } from './sender.ts';
import { openStore } from './stores.ts';
import { parseOrText } from './terms.ts';

// A bundler would turn `new URL('./receiver.ts', import.meta.url)` into an asset; this file itself is never bundled.
const RECEIVER = join(dirname(fileURLToPath(import.meta.url)), 'receiver.ts');
/** More than the longest honest answer (two names of 128 characters, six bytes each when escaped, and a hash). */
const MAX_ANSWER_BYTES = 64 * 1024;

function send(context: Context, job: Job): Answer {
  const wire = {
    dir: context.dir,
    caller: job.caller,
    key: job.operation_key,
    mode: job.mode,
    payload: parseOrText(job.payload),
    now: context.now,
    receiver: context.args.receiver,
  };
  const child = spawnRoleSync('receiver', RECEIVER, {
    input: JSON.stringify(wire),
    deadlineMs: context.args.deadlineMs as number,
    maxBytes: MAX_ANSWER_BYTES,
  });
  const errorCode = (child.error as NodeJS.ErrnoException | undefined)?.code ?? null;
  const end = { stdout: child.stdout ?? '', status: child.status, signal: child.signal, errorCode };
  return judgeAnswer(end, job, context.without);
}

/** Ends the attempt without a usable response. `status` says what was seen, the row's state what is now recorded. */
function stop(
  context: Context,
  db: Db,
  job: Job,
  state: 'unknown' | 'blocked',
  status: string,
  why: string,
): Outcome {
  // Marked done before sending: the record can no longer take the outcome, which is what this mode is there to show.
  if (job.mode === 'mark_before') {
    return {
      exit: 2,
      reply: { status, state: 'done', attempt: job.attempts, why, definite: false, ...meaning('unknown') },
    };
  }
  const end = { commit: 'conclude', state, from: 'inflight', response: null, detail: why } as const;
  const { saved, state: now } = conclude(db, job, end, context.now, context.without);
  const word = saved ? status : 'stale_claim';
  return byState(word, now, { attempt: job.attempts, why, definite: false });
}

function silence(context: Context, db: Db, job: Job, why: string): Outcome {
  if (job.mode === 'external') return stop(context, db, job, 'unknown', 'unknown', why);
  const lost = job.mode === 'mark_before';
  return {
    exit: 4,
    reply: {
      status: 'no_ack',
      state: lost ? 'done' : 'inflight',
      attempt: job.attempts,
      lease: job.lease,
      why,
      definite: false,
      ...meaning(lost ? 'unknown' : 'inflight'),
    },
  };
}

function acknowledge(
  context: Context,
  db: Db,
  job: Job,
  answer: Extract<Answer, { kind: 'response' }>,
): Outcome {
  const marked = job.mode === 'mark_before';
  const end = {
    commit: 'ack',
    state: 'done',
    from: marked ? 'done' : 'inflight',
    response: canonicalJson(answer.response),
    detail: `ticket ${canonicalJson(answer.response.ticket_id ?? null)}`,
    after: 'after-ack',
  } as const;
  const { saved, state } = conclude(db, job, end, context.now, context.without);
  const word = !saved ? 'stale_claim' : marked ? 'premarked_done' : 'done';
  return byState(word, state, { attempt: job.attempts, response: answer.response });
}

/**
 * Claims one key, sends it, records what came back (README.md, "Rules").
 *
 * @throws DrillError `no-database`, `not-a-database`, `busy`
 */
export function dispatchKey(context: Context): Outcome {
  const key = context.args.key as string;
  const db = openStore(context.dir, 'sender');
  boundary('before-claim');
  const claimed = claimRow(db, key, context.now, context.without);
  if (claimed.kind === 'never-enqueued') return neverEnqueued(key);
  if (claimed.kind === 'corrupt') return payloadCorrupt(claimed.fault);
  if (claimed.kind === 'not-claimed') return notClaimed(claimed);
  const { job } = claimed;
  if (job.mode === 'mark_before') {
    const mark = {
      commit: 'mark',
      state: 'done',
      from: 'inflight',
      response: null,
      detail: 'before sending',
    } as const;
    conclude(db, job, { ...mark, after: 'after-mark-before-send' }, context.now, context.without);
  }
  const answer = send(context, job);
  if (answer.kind === 'silence') return silence(context, db, job, answer.why);
  boundary('after-response-before-ack');
  if (answer.kind === 'response') return acknowledge(context, db, job, answer);
  if (answer.kind === 'refused') {
    return stop(
      context,
      db,
      job,
      'blocked',
      'blocked',
      `the receiver refused (${answer.refused}): ${answer.message}`,
    );
  }
  const state = job.mode === 'external' ? 'unknown' : 'blocked';
  return stop(context, db, job, state, 'invalid_response', answer.why);
}
