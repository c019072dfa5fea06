/** The sender's own transactions: enqueue, claim, conclude. Nothing here talks to the receiver. */
import { boundary } from '../../boundary/boundary.ts';
import { canonicalJson, digest } from '../../core/canonical.ts';
import type { JsonObject } from '../../core/json.ts';
import { answers, isAlive, startTime } from '../../core/process.ts';
import type { Db } from '../../sqlite/open.ts';
import { proofOf, type Told, ticketOf } from './standing.ts';
import { decide } from './stores.ts';
import { LEASE_TICKS, MAX_TEXT, type Mode, mailOf, type State, storedPayloadFault } from './terms.ts';

export interface OutboxRow extends Told {
  operation_key: string;
  caller: string;
  payload: string;
  payload_hash: string;
  lease: number | null;
  holder: string | null;
  response: string | null;
}

/** A claimed row: what this attempt is allowed to send, and the attempt number that fences its record. */
export interface Job extends OutboxRow {
  attempts: number;
  lease: number;
}

export interface Intent {
  key: string;
  caller: string;
  mode: Mode;
  payload: JsonObject;
  /** Which wish the key stands for. */
  wish: string;
  /** A second effect of the same operation, at the tool. */
  mail?: boolean;
}

interface RequestRow {
  wish: string;
  caller: string;
  mode: string;
  payload: string;
  payload_hash: string;
}

type Without = ReadonlySet<string>;

const ROW = `SELECT o.*,
  (SELECT json_group_array(ticket_id) FROM late WHERE operation_key = o.operation_key) AS late,
  (SELECT json_object('conclusion', conclusion, 'ticket', ticket_id) FROM decisions
    WHERE operation_key = o.operation_key AND attempt = o.attempts ORDER BY seq DESC LIMIT 1) AS decision,
  (SELECT coalesce(max(attempt), 0) FROM decisions
    WHERE operation_key = o.operation_key AND conclusion = 'absent') AS cleared
  FROM outbox o WHERE o.operation_key = ?`;

/** @returns the outbox row of a key with what came late and what was decided, or undefined */
export function outboxRow(db: Db, key: string): OutboxRow | undefined {
  const row = db.prepare(ROW).get(key) as (OutboxRow & { late: string; decision: string | null }) | undefined;
  return (
    row && { ...row, late: JSON.parse(row.late as string), decision: JSON.parse(row.decision ?? 'null') }
  );
}

const holderHere = (): string => `${process.pid} ${startTime(process.pid)}`;

/** True while the process that took the row, or a receiver that it started, may still act for its attempt. */
export function holderLives({ holder }: OutboxRow): boolean {
  if (holder === null) return false;
  const [pid, started = ''] = holder.split(' ');
  return isAlive(Number(pid), started) || answers(-Number(pid));
}

/** Adds a line to the sender's history, inside the commit that it tells of. */
export function event(
  db: Db,
  key: string,
  name: string,
  at: number,
  attempt: number | null,
  detail: string | null = null,
): void {
  db.prepare('INSERT INTO events (operation_key, event, attempt, at, detail) VALUES (?, ?, ?, ?, ?)').run(
    key,
    name,
    attempt,
    at,
    detail,
  );
}

/** Which member of a known intent differs, or null: the key names the intent, the hash only notices a change. */
function difference(known: RequestRow, intent: Intent, without: Without): string | null {
  if (known.payload_hash !== digest(intent.payload) || known.payload !== canonicalJson(intent.payload))
    return 'payload';
  if (known.caller !== intent.caller) return 'caller';
  if (known.wish !== intent.wish && !without.has('wish-in-the-request')) return 'wish';
  return known.mode === intent.mode ? null : 'mode';
}

export type Enqueued =
  | { kind: 'accepted' }
  | { kind: 'already-accepted' }
  | { kind: 'conflict'; differs: string };

function known(db: Db, intent: Intent, without: Without): Enqueued | null {
  const row = db.prepare('SELECT * FROM requests WHERE operation_key = ?').get(intent.key) as
    | RequestRow
    | undefined;
  if (!row) return null;
  const mailed = outboxRow(db, mailOf(intent.key)) !== undefined;
  const differs = difference(row, intent, without) ?? (mailed === (intent.mail ?? false) ? null : 'mail');
  return differs ? { kind: 'conflict', differs } : { kind: 'already-accepted' };
}

function insertRequest(db: Db, { key, caller, mode, payload, wish }: Intent): void {
  db.prepare('INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?)').run(
    key,
    caller,
    mode,
    canonicalJson(payload),
    digest(payload),
    wish,
  );
}

/** The mail of an operation: recorded in the same commit, with a row and a response of its own. */
function insertMail(db: Db, { key, caller, payload, mail, wish }: Intent, now: number): void {
  if (!mail) return;
  const body = `Sent once "${payload.title}" is done.`.slice(0, MAX_TEXT);
  const own: Intent = { key: mailOf(key), caller, mode: 'external', payload: { title: 'Mail', body }, wish };
  insertRequest(db, own);
  insertOutbox(db, own, now);
}

function insertOutbox(db: Db, { key, caller, mode, payload }: Intent, now: number): void {
  db.prepare(
    `INSERT INTO outbox (operation_key, caller, mode, payload, payload_hash, state) VALUES (?, ?, ?, ?, ?, 'pending')`,
  ).run(key, caller, mode, canonicalJson(payload), digest(payload));
  event(db, key, 'accepted', now, null);
}

/**
 * Records an intent: request and outbox row in one transaction (README.md, "Rules").
 *
 * @param without `intent-with-request` off: two commits, and so a boundary between them
 */
export function enqueueIntent(db: Db, intent: Intent, now: number, without: Without): Enqueued {
  const names = { before: 'before-intent-commit', after: 'after-intent-commit' };
  if (!without.has('intent-with-request')) {
    return decide<Enqueued>(db, 'sender', 'intent', names, () => {
      const earlier = known(db, intent, without);
      if (earlier) return { wrote: false, value: earlier };
      insertRequest(db, intent);
      insertOutbox(db, intent, now);
      insertMail(db, intent, now);
      return { wrote: true, value: { kind: 'accepted' } };
    });
  }
  const first = decide<Enqueued>(db, 'sender', 'request', { after: 'after-request-commit' }, () => {
    const earlier = known(db, intent, without);
    if (earlier) return { wrote: false, value: earlier };
    insertRequest(db, intent);
    return { wrote: true, value: { kind: 'accepted' } };
  });
  if (first.kind !== 'accepted') return first;
  return decide<Enqueued>(db, 'sender', 'intent', names, () => {
    insertOutbox(db, intent, now);
    insertMail(db, intent, now);
    return { wrote: true, value: { kind: 'accepted' } };
  });
}

export type Claimed =
  | { kind: 'claimed'; job: Job }
  /** `expired`: this call made the row unknown. */
  | { kind: 'not-claimed'; row: OutboxRow; expired: boolean }
  | { kind: 'never-enqueued' }
  | { kind: 'corrupt'; fault: string };

/** May this row be claimed now? `expire` where all that may happen is that it becomes unknown. */
function claimable(row: OutboxRow, now: number, without: Without): 'yes' | 'no' | 'expire' {
  if (row.state === 'pending') return 'yes';
  // Nothing was done, a person found; what has come in since then says otherwise.
  if (row.decision) return row.decision.conclusion === 'absent' && proofOf(row) === null ? 'yes' : 'no';
  if (row.state === 'done') return 'no';
  if (row.state !== 'inflight') return without.has('unknown-stops') ? 'yes' : 'no';
  const over = without.has('lease') || now >= (row.lease ?? 0);
  if (!over) return 'no';
  // An expired lease proves nothing about a tool that keeps no receipts: it must not be called again by itself.
  return row.mode === 'external' && !without.has('unknown-stops') ? 'expire' : 'yes';
}

/**
 * One serialized claim (README.md, "Rules"): pending, or inflight with an expired lease; attempt + 1,
 * lease = now + 10. A lease at its exact end is expired.
 *
 * @param again the row is taken whatever it says: its operation has one record for several effects
 */
export function claimRow(db: Db, key: string, now: number, without: Without, again = false): Claimed {
  const claimed = decide<Claimed>(db, 'sender', 'claim', {}, () => {
    const row = outboxRow(db, key);
    if (!row) return { wrote: false, value: { kind: 'never-enqueued' } };
    const may = again ? 'yes' : claimable(row, now, without);
    if (may === 'no') return { wrote: false, value: { kind: 'not-claimed', row, expired: false } };
    if (may === 'expire') {
      db.prepare(`UPDATE outbox SET state = 'unknown', lease = NULL WHERE operation_key = ?`).run(key);
      event(
        db,
        key,
        'unknown',
        now,
        row.attempts,
        'the lease ran out; nothing proves whether the tool was called',
      );
      const unknown: OutboxRow = { ...row, state: 'unknown', lease: null };
      return { wrote: true, value: { kind: 'not-claimed', row: unknown, expired: true } };
    }
    const fault = without.has('payload-check') ? null : storedPayloadFault(row.payload, row.payload_hash);
    if (fault) return { wrote: false, value: { kind: 'corrupt', fault } };
    const job: Job = {
      ...row,
      state: 'inflight',
      attempts: row.attempts + 1,
      lease: now + LEASE_TICKS,
      decision: null,
    };
    db.prepare(`UPDATE outbox SET state = 'inflight', attempts = ?, lease = ?, holder = ?, response = NULL
       WHERE operation_key = ?`).run(job.attempts, job.lease, holderHere(), key);
    event(db, key, 'claimed', now, job.attempts, `lease until ${job.lease}`);
    return { wrote: true, value: { kind: 'claimed', job } };
  });
  if (claimed.kind === 'claimed') boundary('after-claim');
  return claimed;
}

/**
 * The row as it stands, and whether this attempt may still speak for it: while it waited, another may have claimed
 * the row, or ended it.
 *
 * @param without `attempt-fence` off: whoever comes last takes its attempt for the current one
 */
export function standing(db: Db, job: Job, without: Without): { current: boolean; row: OutboxRow } {
  const row = outboxRow(db, job.operation_key) ?? job;
  const current = row.state === 'inflight' && row.attempts === job.attempts;
  return { current: current || without.has('attempt-fence'), row };
}

/** A refused acknowledgement keeps what it knew: the response may name a ticket that no record holds. */
function keepLate(db: Db, job: Job, response: string, now: number): void {
  const ticket = ticketOf(response);
  db.prepare('INSERT INTO late (operation_key, attempt, ticket_id, response, at) VALUES (?, ?, ?, ?, ?)').run(
    job.operation_key,
    job.attempts,
    ticket,
    response,
    now,
  );
}

/** What an attempt wants to record at its end. */
export interface Conclusion {
  commit: 'mark' | 'ack' | 'conclude' | 'recover';
  state: 'done' | 'unknown' | 'blocked' | 'pending';
  /** State that the row must still be in. */
  from: State;
  response: string | null;
  detail: string | null;
  /** What the history calls it; the state where it is left out. */
  word?: string;
  after?: string;
}

/**
 * Records the end of an attempt, only where the attempt is still the current one: an old lease holder cannot
 * overwrite a newer attempt. The refusal itself is recorded as an event.
 *
 * @param without `attempt-fence` off: whoever comes last overwrites
 * @returns the row afterwards, and whether this attempt wrote it
 */
export function conclude(
  db: Db,
  job: Job,
  end: Conclusion,
  now: number,
  without: Without,
): { saved: boolean; row: OutboxRow } {
  const fence = without.has('attempt-fence')
    ? ''
    : `AND state = '${end.from}' AND attempts = ${job.attempts}`;
  const result = decide<{ saved: boolean; row: OutboxRow }>(db, 'sender', end.commit, {}, () => {
    // A marked attempt is still at work; every other end is the last that its process does for the row.
    const holder = end.commit === 'mark' ? job.holder : null;
    const changed = db
      .prepare(
        `UPDATE outbox SET state = ?, response = ?, lease = NULL, holder = ? WHERE operation_key = ? ${fence}`,
      )
      .run(end.state, end.response, holder, job.operation_key).changes;
    if (changed === 0 && end.response) keepLate(db, job, end.response, now);
    const row = outboxRow(db, job.operation_key) ?? job;
    const refused = end.commit === 'mark' ? 'mark-refused' : 'ack-refused';
    const word = changed === 0 ? refused : (end.word ?? end.state);
    const detail = changed === 0 ? `the record is at attempt ${row.attempts}, ${row.state}` : end.detail;
    event(db, job.operation_key, word, now, job.attempts, detail);
    return { wrote: true, value: { saved: changed > 0, row } };
  });
  if (result.saved && end.after) boundary(end.after);
  return result;
}
