/** `dispatch`: claim, send, acknowledge. Three places where the process may end; no transaction is open while sending. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundary, spawnRoleSync } from '../../boundary/boundary.ts';
import { canonicalJson } from '../../core/canonical.ts';
import { EXIT } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Db } from '../../sqlite/open.ts';
import type { Context, Outcome } from '../child.ts';
import { type Answer, judgeAnswer } from './answer.ts';
import { byState, leaseOf, neverEnqueued, notClaimed, payloadCorrupt } from './replies.ts';
import { type Conclusion, claimRow, conclude, type Job, outboxRow, standing } from './sender.ts';
import { openStore } from './stores.ts';
import { mailOf, parseOrText } from './terms.ts';

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
    attempt: job.attempts,
    receiver: context.args.receiver,
  };
  const call = (): Answer => {
    const child = spawnRoleSync('receiver', RECEIVER, {
      input: JSON.stringify(wire),
      deadlineMs: context.args.deadlineMs as number,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const errorCode = (child.error as NodeJS.ErrnoException | undefined)?.code ?? null;
    const end = { stdout: child.stdout ?? '', status: child.status, signal: child.signal, errorCode };
    return judgeAnswer(end, job, context.without);
  };
  const answer = call();
  // As a client library does that repeats what failed, unasked and out of sight of the record.
  const repeats = context.without.has('one-call-per-attempt') && answer.kind !== 'response';
  return repeats ? call() : answer;
}

/** Ends the attempt without a usable response. `status` says what was seen, the row's state what is now recorded. */
function stop(
  context: Context,
  db: Db,
  job: Job,
  state: 'unknown' | 'blocked' | 'pending',
  status: string,
  why: string,
): Outcome {
  // Marked done before sending: the record can no longer take the outcome, which is what this mode is there to show.
  const end: Conclusion =
    job.mode === 'mark_before'
      ? { commit: 'conclude', state: 'done', from: 'done', response: null, detail: why, word: 'unanswered' }
      : {
          commit: 'conclude',
          state,
          from: 'inflight',
          response: null,
          detail: why,
          word: state === 'pending' ? 'failed' : state,
        };
  const { saved, row } = conclude(db, job, end, context.now, context.without);
  return byState(saved ? status : 'stale_claim', row, { attempt: job.attempts, why, definite: false });
}

function silence(context: Context, db: Db, job: Job, why: string): Outcome {
  if (context.without.has('doubt-is-not-failure')) return stop(context, db, job, 'pending', 'failed', why);
  if (job.mode === 'external') return stop(context, db, job, 'unknown', 'unknown', why);
  if (job.mode === 'mark_before') return stop(context, db, job, 'unknown', 'no_ack', why);
  // Nothing is written: the row stays in flight. What this process remembers may be old, so it tells the row.
  const { current, row } = standing(db, job, context.without);
  const more = { attempt: job.attempts, ...leaseOf(row), why, definite: false };
  return byState(current ? 'no_ack' : 'stale_claim', row, more);
}

/** Marks the row done, for `mark_before`. @returns why nothing may be sent, or null where the mark was saved */
function mark(context: Context, db: Db, job: Job): Outcome | null {
  const end = {
    commit: 'mark',
    state: 'done',
    from: 'inflight',
    response: null,
    detail: 'before sending',
    word: 'marked-done',
    after: 'after-mark-before-send',
  } as const;
  const { saved, row } = conclude(db, job, end, context.now, context.without);
  const why = 'the mark was refused: another attempt has the row; nothing was sent';
  return saved ? null : byState('stale_claim', row, { attempt: job.attempts, ...leaseOf(row), why });
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
  const { saved, row } = conclude(db, job, end, context.now, context.without);
  const word = !saved ? 'stale_claim' : marked ? 'premarked_done' : 'done';
  return byState(word, row, { attempt: job.attempts, response: answer.response });
}

function dispatchOne(context: Context, db: Db, key: string, again = false): Outcome {
  boundary('before-claim');
  const claimed = claimRow(db, key, context.now, context.without, again);
  if (claimed.kind === 'never-enqueued') return neverEnqueued(key);
  if (claimed.kind === 'corrupt') return payloadCorrupt(claimed.fault);
  if (claimed.kind === 'not-claimed') return notClaimed(claimed.row, claimed.expired);
  const { job } = claimed;
  const refused = job.mode === 'mark_before' ? mark(context, db, job) : null;
  if (refused) return refused;
  const answer = send(context, job);
  if (answer.kind === 'silence') return silence(context, db, job, answer.why);
  boundary('after-response-before-ack');
  if (answer.kind === 'response') return acknowledge(context, db, job, answer);
  if (answer.kind === 'refused') {
    const why = `the receiver refused (${answer.refused}): ${answer.message}`;
    // An error is what the receiver says of its own end; it may come after the effect.
    const failed = answer.refused === 'failed' && context.without.has('doubt-is-not-failure');
    return stop(context, db, job, failed ? 'pending' : 'blocked', failed ? 'failed' : 'blocked', why);
  }
  const state = job.mode === 'external' ? 'unknown' : 'blocked';
  return stop(context, db, job, state, 'invalid_response', answer.why);
}

/**
 * Claims one key, sends it, records what came back (README.md, "Rules"). An operation with a mail goes on to it once
 * the first effect is settled; what is done already is not sent again.
 *
 * @throws DrillError `no-database`, `not-a-database`, `busy`
 */
export function dispatchKey(context: Context): Outcome {
  const key = context.args.key as string;
  const db = openStore(context.dir, 'sender');
  const mail = outboxRow(db, mailOf(key));
  // One record for both effects: while the mail is not done, neither is the operation.
  const all = context.without.has('each-effect-its-record') && mail !== undefined && mail.state !== 'done';
  const first = dispatchOne(context, db, key, all && outboxRow(db, key)?.state === 'done');
  if (!mail || first.exit !== EXIT.done) return first;
  const second = dispatchOne(context, db, mailOf(key));
  return { ...second, reply: { ...second.reply, operation: mailOf(key), before: first.reply as JsonObject } };
}
