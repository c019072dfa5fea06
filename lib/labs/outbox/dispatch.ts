/** `dispatch`: claim, send, acknowledge. Three places where the process may end; no transaction is open while sending. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundary, spawnRoleSync } from '../../boundary/boundary.ts';
import { canonicalJson } from '../../core/canonical.ts';
import { EXIT } from '../../core/errors.ts';
import type { Db } from '../../sqlite/open.ts';
import type { Context, Outcome } from '../child.ts';
import { type Answer, judgeAnswer } from './answer.ts';
import { byState, leaseOf, meaning, neverEnqueued, notClaimed, payloadCorrupt } from './replies.ts';
import { claimRow, conclude, type Job, standing } from './sender.ts';
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
  if (job.mode === 'mark_before') return unrecorded(context, db, job, EXIT.uncertain, status, why);
  const end = { commit: 'conclude', state, from: 'inflight', response: null, detail: why } as const;
  const { saved, row } = conclude(db, job, end, context.now, context.without);
  return byState(saved ? status : 'stale_claim', row, { attempt: job.attempts, why, definite: false });
}

function silence(context: Context, db: Db, job: Job, why: string): Outcome {
  if (job.mode === 'external') return stop(context, db, job, 'unknown', 'unknown', why);
  return unrecorded(context, db, job, EXIT.nothingDone, 'no_ack', why);
}

/** Ends the attempt and writes nothing. What it remembers may be old: the row as it stands is what it tells. */
function unrecorded(context: Context, db: Db, job: Job, exit: number, status: string, why: string): Outcome {
  const from = job.mode === 'mark_before' ? 'done' : 'inflight';
  const { current, row } = standing(db, job, from, context.without);
  const said = { attempt: job.attempts, ...leaseOf(row), why, definite: false };
  if (!current) return byState('stale_claim', row, said);
  return { exit, reply: { status, state: row.state, ...said, ...meaning(row) } };
}

/** Marks the row done, for `mark_before`. @returns why nothing may be sent, or null where the mark was saved */
function mark(context: Context, db: Db, job: Job): Outcome | null {
  const end = {
    commit: 'mark',
    state: 'done',
    from: 'inflight',
    response: null,
    detail: 'before sending',
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
  if (claimed.kind === 'not-claimed') return notClaimed(claimed.row, claimed.expired);
  const { job } = claimed;
  const refused = job.mode === 'mark_before' ? mark(context, db, job) : null;
  if (refused) return refused;
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
