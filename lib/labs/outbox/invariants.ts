/** Invariants that every sound run keeps, judged after every step against the ground truth (README.md, "Invariants"). */
import { isObject, type Json } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type CheckResult, type Evidence, panel, type Row } from '../../evidence/model.ts';
import type { Invariant, Judgement } from '../contract.ts';
import type { StoreId } from './stores.ts';
import { intentId, LEASE_TICKS, responseFault } from './terms.ts';

type Now = { evidence: Evidence; history: readonly StepRecord[]; last: StepRecord };

const judgement = (result: CheckResult, detail: string): Judgement => ({ result, detail });
const holdsIf = (good: boolean, detail: string): Judgement => judgement(good ? 'holds' : 'violated', detail);

/** Stores that this evidence cannot speak for. */
function unreadable(evidence: Evidence, stores: readonly StoreId[]): string[] {
  return evidence.integrity
    .filter(
      ({ store, quickCheck }) =>
        stores.includes(store as StoreId) && /^(missing|unreadable)$/.test(quickCheck),
    )
    .map(({ store }) => store);
}

/** True before the lab's first init: nothing is there, and nothing has been lost. */
function neverCreated(history: readonly StepRecord[]): boolean {
  return history.every((record) => !record.evidence?.files.some((file) => file.present));
}

/** A invariant about some stores: `unknown` where one of them is gone or unreadable, unless it is broken already. */
function invariant(
  id: string,
  says: string,
  stores: readonly StoreId[],
  check: (now: Now) => Judgement,
): Invariant {
  return {
    id,
    says,
    check(history) {
      const last = history.at(-1);
      const evidence = last?.evidence;
      if (!last || !evidence) return judgement('unknown', 'no evidence was taken');
      if (neverCreated(history)) return judgement('holds', 'there is no database yet');
      const found = check({ evidence, history, last });
      const gone = unreadable(evidence, stores);
      if (found.result === 'violated' || gone.length === 0) return found;
      return judgement('unknown', `the ${gone.join(' and the ')} database cannot be read`);
    },
  };
}

const outbox = (evidence: Evidence): Row[] => panel(evidence, 'operation').rows;
const intentOf = (row: Row): string => intentId(String(row.cells.caller), row.key);
const effects = (evidence: Evidence, intent: string): number =>
  evidence.truth.filter((change) => change.operation === intent).length;
const member = (value: Json, name: string): Json | undefined => (isObject(value) ? value[name] : undefined);
const figure = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** The first row that breaks a invariant decides; otherwise the summary is shown. */
function everyRow(list: readonly Row[], summary: string, fault: (row: Row) => string | null): Judgement {
  for (const row of list) {
    const found = fault(row);
    if (found) return judgement('violated', `${row.key}: ${found}`);
  }
  return judgement('holds', summary);
}

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
    return count === 1 || (blind && count === 0) ? null : `done, ${figure(count, 'ticket')}`;
  });
}

function receiptEach({ evidence }: Now): Judgement {
  const receipts = panel(evidence, 'receipts').rows;
  const broken = everyRow(receipts, '', (row) =>
    row.cells.proves === 'its ticket' ? null : `the receipt proves ${row.cells.proves}`,
  );
  if (broken.result === 'violated') return broken;
  const changes = evidence.truth.filter((change) => member(change.to, 'mode') === 'idempotent');
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

const ENDED = new Set(['done', 'marked-done', 'unknown', 'blocked']);

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

function finalStays({ evidence, history, last }: Now): Judgement {
  const before = readableBefore(history).at(-1);
  const finals = before
    ? outbox(before).filter((row) => /^(unknown|blocked)$/.test(String(row.cells.state)))
    : [];
  // What damages the store is not a command of the lab.
  if (last.spec.damage) return judgement('holds', 'damage from outside is not judged here');
  const now = new Map(outbox(evidence).map((row) => [row.key, row.cells.state]));
  return everyRow(finals, `${figure(finals.length, 'row')} unknown or blocked, as before`, (row) => {
    const state = now.get(row.key) ?? 'absent';
    const seen = unreadable(evidence, ['sender']).length === 0;
    return seen && state !== row.cells.state ? `${row.cells.state} -> ${state}` : null;
  });
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
    'A row that says done has exactly one ticket.',
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
    'No command of the lab leads out of unknown or blocked.',
    ['sender'],
    finalStays,
  ),
  invariant(
    'ticket-as-requested',
    'A ticket holds the payload that its request asked for.',
    ['sender', ...EFFECTS],
    asRequested,
  ),
  invariant('integrity', 'Every file that exists passes quick_check and foreign_key_check.', [], sound),
];
