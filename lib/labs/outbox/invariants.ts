/** Invariants that every sound run keeps, judged after every step against the ground truth (README.md, "Invariants"). */
import { canonicalJson } from '../../core/canonical.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row, type TruthChange } from '../../evidence/model.ts';
import type { Invariant, Judgement } from '../contract.ts';
import {
  effects,
  everyRow,
  figure,
  holdsIf,
  invariant,
  judgement,
  member,
  type Now,
  outbox,
  unreadable,
} from './judging.ts';
import { inDoubt, proofOf } from './standing.ts';
import type { StoreId } from './stores.ts';
import { DEFAULT_KEY, DEFAULT_WISH, LEASE_TICKS, responseFault } from './terms.ts';
import { intentOf, linesOf, provesOwn, receiptOf, toldOf } from './view.ts';

function oneEffect({ evidence }: Now): Judgement {
  const intents = new Set(evidence.truth.map((change) => change.operation as string));
  const worst = [...intents]
    .map((intent) => ({ intent, count: effects(evidence, intent) }))
    .find(({ count }) => count > 1);
  if (worst) return judgement('violated', `${figure(worst.count, 'ticket')}, 1 intent (${worst.intent})`);
  return judgement(
    'holds',
    `${figure(evidence.truth.length, 'ticket')}, ${figure(intents.size, 'intent')} with an effect`,
  );
}

function doneMeansOne({ evidence }: Now): Judgement {
  const done = outbox(evidence).filter((row) => row.cells.state === 'done');
  // A ticket of a store that is gone may exist all the same.
  const blind = unreadable(evidence, ['receiver', 'external']).length > 0;
  return everyRow(done, `${figure(done.length, 'row')} done, one ticket each`, (row) => {
    const count = effects(evidence, intentOf(row));
    if (count !== 1) return blind && count === 0 ? null : `done, ${figure(count, 'ticket')}`;
    return ownChanges(evidence, intentOf(row)).length === 1 ? null : 'done, by a ticket made past the sender';
  });
}

const madeByAttempt = (evidence: Evidence, target: string): boolean =>
  evidence.truth.some((change) => change.target === target && Number(member(change.to, 'attempt')) > 0);

/** Tickets that a sweeper removed and that no attempt of an operation had made. */
function orphansRemoved(evidence: Evidence): Set<string> {
  const swept = evidence.truth.filter(
    ({ actor, target }) => actor === 'sweeper' && !madeByAttempt(evidence, target),
  );
  return new Set(swept.map(({ target }) => target));
}

function receiptEach({ evidence }: Now): Judgement {
  const receipts = panel(evidence, 'receipts').rows;
  const broken = everyRow(receipts, '', (row) =>
    row.cells.proves === 'its ticket' ? null : `the receipt proves ${row.cells.proves}`,
  );
  if (broken.result === 'violated') return broken;
  const orphans = orphansRemoved(evidence);
  const changes = evidence.truth.filter(
    ({ to, target }) => member(to, 'mode') === 'idempotent' && !orphans.has(target),
  );
  for (const change of changes) {
    const ticket = member(change.to, 'ticket');
    const count = receipts.filter(
      (row) => row.cells.ticket === ticket && row.key.split('#')[0] === change.operation,
    ).length;
    if (count !== 1) return judgement('violated', `ticket ${ticket}: ${figure(count, 'receipt')}`);
  }
  const detail = `${figure(changes.length, 'ticket')} of idempotent intents, ${figure(receipts.length, 'receipt')}`;
  return holdsIf(changes.length === receipts.length, detail);
}

function requestWithOutbox({ evidence }: Now): Judgement {
  const list = outbox(evidence);
  return everyRow(list, `${figure(list.length, 'request')}, ${figure(list.length, 'outbox row')}`, (row) => {
    if (row.cells.state === 'absent') return '1 request, 0 outbox rows';
    if (row.cells.request !== 'recorded') return `the request is ${row.cells.request}`;
    return row.cells.payload === 'matches its hash' ? null : `the payload ${row.cells.payload}`;
  });
}

const readableBefore = (history: readonly StepRecord[]): Evidence[] =>
  history
    .slice(0, -1)
    .map((record) => record.evidence)
    .filter((evidence) => evidence !== null && unreadable(evidence, ['sender']).length === 0) as Evidence[];

function attemptsNeverFall({ evidence, history }: Now): Judgement {
  if (unreadable(evidence, ['sender']).length > 0) return judgement('unknown', 'the sender cannot be read');
  const now = new Map(outbox(evidence).map((row) => [row.key, Number(row.cells.attempts)]));
  for (const row of readableBefore(history).flatMap(outbox)) {
    const before = Number(row.cells.attempts);
    const after = now.get(row.key) ?? 0;
    if (after < before) return judgement('violated', `${row.key}: ${before} -> ${after}`);
  }
  const total = [...now.values()].reduce((sum, attempts) => sum + attempts, 0);
  return judgement('holds', figure(total, 'attempt'));
}

const ENDED = new Set([
  'done',
  'marked-done',
  'unknown',
  'blocked',
  'failed',
  'unanswered',
  'recovered',
  'resolved',
]);

function oneClaim({ evidence }: Now): Judgement {
  const held = new Map<string, { attempt: number; until: number }>();
  let claims = 0;
  for (const { store, cells } of panel(evidence, 'events').rows) {
    if (store !== 'sender') continue;
    const key = String(cells.key);
    const current = held.get(key);
    if (cells.event === 'claimed') {
      claims += 1;
      if (current && Number(cells.at) < current.until) {
        return judgement(
          'violated',
          `${key}: attempt ${cells.attempt} at ${cells.at}, attempt ${current.attempt} holds until ${current.until}`,
        );
      }
      held.set(key, { attempt: Number(cells.attempt), until: Number(cells.at) + LEASE_TICKS });
    } else if (ENDED.has(String(cells.event)) && current?.attempt === cells.attempt) held.delete(key);
  }
  return judgement('holds', `${figure(claims, 'claim')}, at most 1 at a time`);
}

function doneHasResponse({ evidence }: Now): Judgement {
  const done = outbox(evidence).filter((row) => row.cells.state === 'done');
  return everyRow(
    done,
    `${figure(done.length, 'row')} done, ${figure(done.length, 'matching response')}`,
    (row) => {
      if (row.cells.response === null) return 'done, no response';
      const expected = {
        caller: String(row.cells.caller),
        operation_key: row.key,
        payload_hash: String(row.cells.payload_hash),
      };
      const fault = responseFault(row.cells.response, expected);
      return fault ? `the stored response does not match: ${fault}` : null;
    },
  );
}

const FINAL = /^(done|unknown|blocked)$/;
const EVENTS_AFTER_DONE = /^(claimed|marked-done|done|unknown|blocked|failed)$/;

/** What the history tells of a key after it was done, within one step too; null where that is nothing. */
function afterDone(evidence: Evidence, key: string): string | null {
  let done = false;
  for (const { cells } of linesOf(evidence, key)) {
    const event = String(cells.event);
    if (done && EVENTS_AFTER_DONE.test(event)) return `done, then ${event}`;
    if (event === 'done' || event === 'recovered') done = true;
  }
  return null;
}

/** How a row that was final has changed without its own proof or a decision, or null. */
function changedWithoutReason(evidence: Evidence, before: Row, now: Row | undefined): string | null {
  if (!now) return `${before.cells.state}, then no row`;
  const lines = linesOf(evidence, before.key).map(({ cells }) => cells);
  const decided = lines.some(
    ({ event, attempt, detail }) =>
      event === 'decision' &&
      attempt === before.cells.attempts &&
      member(detail ?? null, 'conclusion') === 'absent',
  );
  const kept =
    before.cells.response === null ||
    canonicalJson(now.cells.response ?? null) === canonicalJson(before.cells.response ?? null);
  if (!kept) return 'its stored response was overwritten';
  if (decided || now.cells.state === before.cells.state) return null;
  const proven = now.cells.state === 'done' && lines.some(({ event }) => event === 'recovered');
  return proven ? null : `${before.cells.state} -> ${now.cells.state}`;
}

/** Rows that, once written, stay as they are: receipts, tickets, late responses, decisions. */
function proofsOf(evidence: Evidence): Row[] {
  const kept = panel(evidence, 'events').rows.filter(({ key }) => /^sender\/(late|decision)\//.test(key));
  return [...panel(evidence, 'target').rows, ...panel(evidence, 'receipts').rows, ...kept];
}

function finalStays({ evidence, history, last }: Now): Judgement {
  // What damages the store is not a command of the lab.
  if (last.spec.damage) return judgement('holds', 'damage from outside is not judged here');
  const before = readableBefore(history).at(-1);
  const rows = new Map(outbox(evidence).map((row) => [row.key, row]));
  const seen = unreadable(evidence, ['sender']).length === 0;
  const finals = before ? outbox(before).filter((row) => FINAL.test(String(row.cells.state))) : [];
  if (seen) {
    for (const row of [...finals, ...rows.values()]) {
      const found =
        (finals.includes(row) ? changedWithoutReason(evidence, row, rows.get(row.key)) : null) ??
        afterDone(evidence, row.key);
      if (found) return judgement('violated', `${row.key}: ${found}`);
    }
  }
  const previous = history.at(-2)?.evidence;
  const orphans = orphansRemoved(evidence);
  const now = new Map(proofsOf(evidence).map((row) => [`${row.store} ${row.key}`, canonicalJson(row.cells)]));
  for (const row of previous ? proofsOf(previous) : []) {
    if (unreadable(evidence, [row.store as StoreId]).length > 0) continue;
    const ticket = row.key.startsWith('sender/') ? null : `${row.store}/${row.cells.ticket}`;
    if (ticket !== null && orphans.has(ticket)) continue;
    const found = now.get(`${row.store} ${row.key}`);
    if (found !== canonicalJson(row.cells)) {
      return judgement('violated', `${row.key} was ${found === undefined ? 'lost' : 'overwritten'}`);
    }
  }
  return judgement('holds', `${figure(finals.length, 'final row')} and ${figure(now.size, 'proof')} kept`);
}

/** Changes that attempts of this intent made, by the ground truth. */
const ownChanges = (evidence: Evidence, intent: string): TruthChange[] =>
  evidence.truth.filter((change) => change.operation === intent && Number(member(change.to, 'attempt')) > 0);

/** What each reply of the step says of the effect, against who really made what. */
function answersTrue({ evidence, history, last }: Now): Judgement {
  let said = 0;
  const asked = last.args.key ?? last.args.operation ?? DEFAULT_KEY;
  for (const { reply } of last.executors) {
    const row = outbox(evidence).find(({ key }) => key === (reply?.operation ?? asked));
    if (!row || typeof reply?.effect !== 'string' || last.command === 'receive') continue;
    said += 1;
    const own = ownChanges(evidence, intentOf(row)).length;
    // A store that was restored or deleted since does not make undone what was done.
    const ever = history.some(
      (record) => record.evidence && ownChanges(record.evidence, intentOf(row)).length > 0,
    );
    const untrue =
      (reply.effect === 'confirmed' && !ever) ||
      (reply.effect === 'absent' && own > 0) ||
      (reply.decision === 'none' && row.cells.resolved === null && effects(evidence, intentOf(row)) > 1);
    if (untrue) {
      const made = `${figure(own, 'ticket')} made by its attempts`;
      return judgement('violated', `said ${reply.effect} and ${reply.decision}, ${made}`);
    }
  }
  return judgement('holds', said === 0 ? 'nothing was said' : `${figure(said, 'answer')}, as observed`);
}

/** An accepted wish is on record under its key, or its acceptance was a silent refusal. */
function acceptedIsRecorded({ evidence, last }: Now): Judgement {
  const taken = last.executors.filter(({ reply }) => /^(already_)?accepted$/.test(String(reply?.status)));
  const wish = last.args.wish ?? DEFAULT_WISH;
  const key = last.args.key ?? DEFAULT_KEY;
  if (last.command !== 'enqueue' || taken.length === 0) return judgement('holds', 'nothing was accepted');
  const found = outbox(evidence).find((row) => row.key === key)?.cells.wish ?? 'no wish';
  if (unreadable(evidence, ['sender']).length > 0) return judgement('holds', 'the sender cannot be read');
  return holdsIf(found === wish, `accepted "${wish}", recorded "${found}"`);
}

/** Judged once a command that reads the proof has come to its end. */
function noDoubtBesideProof({ evidence, history, last }: Now): Judgement {
  const started = last.spec.release ? history.find(({ label }) => label === last.spec.release) : last;
  const ended = last.executors.some(({ code }) => code !== null && [0, 2, 4].includes(code));
  if (started?.command !== 'recover' || !ended)
    return judgement('holds', 'nothing has read the proof in this step');
  const row = outbox(evidence).find(({ key }) => key === (started.args.key ?? DEFAULT_KEY));
  if (!row) return judgement('holds', 'there is no such row');
  const told = toldOf(evidence, row);
  const open = inDoubt(told) || told.state === 'inflight';
  const proof = provesOwn(receiptOf(evidence, row), told.attempts) || proofOf(told) !== null;
  const settled = told.decision !== null && told.decision.conclusion !== 'absent';
  const word = `${row.key}: ${told.state}, ${proof ? 'a proof of its own' : 'no proof'}`;
  return holdsIf(!(open && proof && !settled), word);
}

function asRequested({ evidence }: Now): Judgement {
  const asked = new Map(outbox(evidence).map((row) => [intentOf(row), row.cells.payload_hash]));
  const held = new Map(panel(evidence, 'target').rows.map((row) => [row.key, row.cells.payload_hash]));
  let compared = 0;
  for (const change of evidence.truth) {
    const expected = asked.get(change.operation as string);
    const found = held.get(change.target);
    if (expected === undefined || found === undefined) continue;
    compared += 1;
    if (found !== expected)
      return judgement(
        'violated',
        `${change.target} holds another payload than ${change.operation} asked for`,
      );
  }
  return judgement(
    'holds',
    `${figure(compared, 'ticket')} compared with ${compared === 1 ? 'its request' : 'their requests'}`,
  );
}

function sound({ evidence }: Now): Judgement {
  const present = evidence.integrity.filter(({ quickCheck }) => quickCheck !== 'missing');
  const broken = present.find(({ quickCheck, foreignKeys }) => quickCheck !== 'ok' || foreignKeys !== 'ok');
  if (broken)
    return judgement('violated', `${broken.store}: ${broken.quickCheck}, foreign keys ${broken.foreignKeys}`);
  return judgement('holds', `${figure(present.length, 'file')} sound`);
}

const EFFECTS = ['receiver', 'external'] as const;

export const invariants: Invariant[] = [
  invariant(
    'one-effect-per-intent',
    'At most one ticket for one intent: caller and key.',
    EFFECTS,
    oneEffect,
  ),
  invariant(
    'done-means-one-effect',
    'A row that says done has exactly one ticket, made by an attempt of its own.',
    ['sender', ...EFFECTS],
    doneMeansOne,
  ),
  invariant(
    'receipt-for-each-ticket',
    'Each ticket of an idempotent intent has exactly one receipt that agrees with it, and each receipt its ticket.',
    ['receiver'],
    receiptEach,
  ),
  invariant(
    'request-with-outbox',
    'Each request has exactly one outbox row with the same intent, and each outbox row its request.',
    ['sender'],
    requestWithOutbox,
  ),
  invariant('attempts-never-fall', 'The number of attempts never falls.', ['sender'], attemptsNeverFall),
  invariant('one-claim-at-a-time', 'A claim is held by one attempt at a time.', ['sender'], oneClaim),
  invariant(
    'done-has-its-response',
    'A row that says done has stored a response that matches its key, caller and payload.',
    ['sender'],
    doneHasResponse,
  ),
  invariant(
    'final-states-stay',
    'No final state, stored response, receipt, ticket or decision is overwritten or lost; only its own proof or a decision leads out of unknown and blocked.',
    ['sender'],
    finalStays,
  ),
  {
    ...invariant(
      'answers-are-true',
      'What a reply says of the effect agrees with what attempts of the operation made, and "none" leaves no second ticket.',
      [],
      answersTrue,
    ),
    judgesReplies: true,
  },
  invariant(
    'accepted-is-recorded',
    'A wish that was accepted is recorded under its key.',
    ['sender'],
    acceptedIsRecorded,
  ),
  invariant(
    'no-doubt-beside-proof',
    'After a command that reads the proof, no operation is in doubt beside its own receipt or late response.',
    [],
    noDoubtBesideProof,
  ),
  invariant(
    'ticket-as-requested',
    'A ticket holds the payload that its request asked for.',
    ['sender', ...EFFECTS],
    asRequested,
  ),
  invariant('integrity', 'Every file that exists passes quick_check and foreign_key_check.', [], sound),
];
