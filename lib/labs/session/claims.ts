/** What the lab claims, judged against the ground truth: final states, ownership, replies, doubt. */
import { canonicalJson } from '../../core/canonical.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row, type TruthChange } from '../../evidence/model.ts';
import type { Judgement } from '../contract.ts';
import { lastSound, plural } from '../kit/judging.ts';
import { operationsOf, ownTicket, serviceSound, ticketsOf, updatesOf, wasThere, words } from './facts.ts';
import { CLIENT, FINAL, SERVICE } from './words.ts';

type History = readonly StepRecord[];

const judged = (good: boolean, detail: string): Judgement => ({
  result: good ? 'holds' : 'violated',
  detail,
});

/** Everything that nothing may change any more, by name. */
function settled(evidence: Evidence, store: string): Map<string, Json> {
  const kept = (row: Row): [string, Json] => [row.key, row.cells];
  const events = panel(evidence, 'events').rows.filter((row) => row.store === store);
  if (store === CLIENT.id) {
    const final = operationsOf(evidence).filter(({ cells }) => FINAL.includes(cells.status));
    return new Map<string, Json>([
      ...final.map(({ key, cells }): [string, Json] => [
        key,
        { status: cells.status, ticket: cells.ticket } as Json,
      ]),
      ...events.filter(({ key }) => key.startsWith('decision/')).map(kept),
    ]);
  }
  return new Map<string, Json>([
    ...ticketsOf(evidence).map(kept),
    ...updatesOf(evidence).map(({ key, cells }): [string, Json] => [`update ${key}`, cells]),
    ...events.map(kept),
  ]);
}

/** Over the last sound evidence of each store: what was final or proven there is so now. */
export function finalStatesStay(evidence: Evidence, history: History): Judgement {
  let count = 0;
  for (const store of [CLIENT.id, SERVICE.id]) {
    const before = lastSound(history, store);
    if (!before) continue;
    const now = settled(evidence, store);
    for (const [name, value] of settled(before, store)) {
      count += 1;
      const found = now.get(name);
      if (found === undefined) return judged(false, `${name} is no longer what it was: lost`);
      if (canonicalJson(found) !== canonicalJson(value)) return judged(false, `${name} was overwritten`);
    }
  }
  return judged(true, `${count} kept`);
}

const madeBy = (evidence: Evidence, ticket: Json | undefined): TruthChange | undefined =>
  evidence.truth.find(({ target }) => target === `ticket ${ticket}`);

const isOurs = (change: TruthChange | undefined, operation: string): boolean =>
  change?.actor === 'server' && change.operation === operation;

/** A ticket that is gone is no other client's: that it is gone is judged elsewhere. */
export function effectIsOurs(evidence: Evidence): Judgement {
  const claimed = operationsOf(evidence).filter(({ cells }) => cells.ticket !== null);
  const others = claimed.filter(({ key, cells }) => {
    const change = madeBy(evidence, cells.ticket);
    return change !== undefined && !isOurs(change, key);
  });
  const keys = others.map(({ key }) => key);
  return judged(
    keys.length === 0,
    `${plural(claimed.length, 'ticket')} claimed; made by another: ${words(keys)}`,
  );
}

interface Claim {
  operation: string;
  effect: 'confirmed' | 'absent';
  /** The ticket or the text that it is about, where it is about one. */
  ticket?: Json;
  body?: Json;
}

function effectClaimed(reply: JsonObject, args: JsonObject): Claim[] {
  const { effect, operation } = reply;
  if (typeof operation !== 'string' || (effect !== 'confirmed' && effect !== 'absent')) return [];
  return [{ operation, effect, ...('body' in args ? { body: args.body as Json } : {}) }];
}

/** A call that is completed or reconciled, as `converse` answers it. */
function callsClaimed(reply: JsonObject, args: JsonObject): Claim[] {
  const { outcomes } = reply;
  const actions = Array.isArray(args.actions) ? (args.actions as JsonObject[]) : [];
  if (!isObject(outcomes)) return [];
  return actions.flatMap((action, index): Claim[] => {
    const outcome = outcomes[String(action.as ?? `${index + 1}-${action.do}`)];
    const operation = action.operation ?? action.request;
    if (!isObject(outcome) || typeof outcome.ticket !== 'number' || typeof operation !== 'string') return [];
    return [{ operation, effect: 'confirmed', ticket: outcome.ticket }];
  });
}

function isTrue(evidence: Evidence, { operation, effect, ticket, body }: Claim): boolean {
  const made = evidence.truth.some(
    (change) =>
      change.operation === operation &&
      change.actor !== 'another-client' &&
      (ticket === undefined || change.target === `ticket ${ticket}`) &&
      (body === undefined || (isObject(change.to) && change.to.body === body)),
  );
  return made === (effect === 'confirmed');
}

/** What the replies of the last step say of effects, against the ground truth of that step. */
export function repliesAreTrue(history: History): Judgement {
  const last = history.at(-1);
  if (!last) return judged(true, 'nothing was said');
  const { args } = history.find(({ label }) => label === last.spec.release) ?? last;
  const claims = last.executors.flatMap(({ reply }) =>
    reply ? [...effectClaimed(reply, args), ...callsClaimed(reply, args)] : [],
  );
  if (claims.length === 0) return judged(true, 'nothing was said');
  const { evidence } = last;
  if (!evidence) return { result: 'unknown', detail: 'no evidence was taken' };
  if (!serviceSound(evidence) && wasThere(history, SERVICE.id))
    return { result: 'unknown', detail: `${SERVICE.id} cannot be read` };
  const untrue = claims.find((claim) => !isTrue(evidence, claim));
  return untrue
    ? judged(false, `said ${untrue.effect} of ${untrue.operation}, which is not so`)
    : judged(true, `${plural(claims.length, 'claim')}, as it happened`);
}

/** Proof that lay there before a look-up began, and doubt that the look-up left beside it. */
export function doubtEnds(evidence: Evidence, history: History): Judgement {
  const last = history.at(-1);
  const before = history.at(-2)?.evidence;
  const origin = history.find(({ label }) => label === last?.spec.release) ?? last;
  if (!last || !before || !origin || !['reconcile', 'resolve'].includes(origin.command))
    return judged(true, 'nothing was looked up');
  const ended = last.executors.filter(
    ({ reply }) => typeof reply?.effect === 'string' && reply.definite !== true,
  );
  const looked = new Set(ended.map(({ reply }) => reply?.operation));
  const doubts = operationsOf(evidence).filter(
    ({ key, cells }) => looked.has(key) && cells.status === 'uncertain',
  );
  const beside = doubts.filter((row) => {
    const was = operationsOf(before).find(({ key }) => key === row.key);
    return was && ownTicket(before, was);
  });
  return judged(
    beside.length === 0,
    `${plural(doubts.length, 'doubt')}, ${beside.length} beside its own ticket`,
  );
}
