/** What every sound run keeps, judged after every step (README.md, "Invariants"). */
import type { Json } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import type { Evidence } from '../../evidence/model.ts';
import type { Invariant, Judgement } from '../contract.ts';
import { plural } from '../kit/judging.ts';
import { doubtEnds, effectIsOurs, finalStatesStay, repliesAreTrue } from './claims.ts';
import {
  clientSound,
  documentOf,
  messagesOf,
  operationsOf,
  ownTicket,
  reviewedTicket,
  serviceSound,
  ticketsOf,
  updatesOf,
  wasThere,
  words,
} from './facts.ts';
import { CLIENT, SERVICE } from './words.ts';

type Needs = 'service' | 'client' | 'both';

const judged = (good: boolean, detail: string): Judgement => ({
  result: good ? 'holds' : 'violated',
  detail,
});

/** A invariant about stores: before they exist it holds, and where they are gone nothing can be said. */
function invariant(
  id: string,
  text: string,
  needs: Needs,
  check: (evidence: Evidence, history: readonly StepRecord[]) => Judgement,
): Invariant {
  return {
    id,
    says: text,
    check(history) {
      const evidence = history.at(-1)?.evidence;
      if (!evidence) return { result: 'unknown', detail: 'no evidence was taken' };
      const stores = needs === 'both' ? [SERVICE.id, CLIENT.id] : [needs];
      for (const store of stores) {
        if (store === SERVICE.id ? serviceSound(evidence) : clientSound(evidence)) continue;
        return wasThere(history, store)
          ? { result: 'unknown', detail: `${store} cannot be read` }
          : { result: 'holds', detail: `no ${store} yet` };
      }
      return check(evidence, history);
    },
  };
}

const versionCounts = invariant(
  'version-counts-updates',
  'The version of the document is 1 plus the accepted updates.',
  'service',
  (evidence) => {
    const version = Number(documentOf(evidence)?.cells.version);
    const accepted = updatesOf(evidence).length;
    return judged(version === 1 + accepted, `version ${version}, 1 + ${accepted} accepted`);
  },
);

const oneTicket = invariant(
  'one-ticket-a-key',
  'There is at most one ticket for an operation key.',
  'service',
  (evidence) => {
    const keys = ticketsOf(evidence).map((row) => row.cells.operation);
    const distinct = new Set(keys).size;
    return judged(distinct === keys.length, `${plural(keys.length, 'ticket')}, ${plural(distinct, 'key')}`);
  },
);

/** Over the whole history: an operation uncertain after one step and not after the next, by another command. */
/** The step that started what a step lets go. */
const originOf = (history: readonly StepRecord[], record: StepRecord): StepRecord =>
  history.find((one) => one.label === record.spec.release) ?? record;

const CONCLUDE = ['reconcile', 'resolve'];

const uncertainStays = invariant(
  'uncertain-until-reconciled',
  'No operation leaves the uncertain set except through reconcile or a recorded decision.',
  'client',
  (_evidence, history) => {
    const left: string[] = [];
    let uncertain: string[] = [];
    for (const record of history) {
      if (!record.evidence) continue;
      const now = operationsOf(record.evidence);
      const still = now.filter((row) => row.cells.status === 'uncertain').map((row) => row.key);
      const gone = uncertain.filter((key) => !still.includes(key));
      // A reconcile that was held is let go by a step of its own.
      if (!CONCLUDE.includes(originOf(history, record).command)) left.push(...gone);
      uncertain = still;
    }
    return judged(left.length === 0, `left otherwise: ${words(left)}`);
  },
);

const sentIsRemembered = invariant(
  'sent-is-remembered',
  "Every ticket made by the client's own call has a record at the client, in flight or later.",
  'both',
  (evidence) => {
    const made = evidence.truth
      .filter((change) => change.actor === 'server' && change.operation !== null)
      .map((change) => change.operation as string);
    const known = new Set(operationsOf(evidence).map((row) => row.key));
    const forgotten = [...new Set(made)].filter((operation) => !known.has(operation));
    return judged(forgotten.length === 0, `without a record: ${words(forgotten)}`);
  },
);

function usedOnce(evidence: Evidence): Judgement {
  const used = messagesOf(evidence)
    .filter(
      (row) => row.cells.direction === 'in' && row.cells.note === 'completed' && row.cells.about !== null,
    )
    .map((row) => String(row.cells.about));
  const twice = [...new Set(used)].filter((about) => used.filter((one) => one === about).length > 1);
  return judged(twice.length === 0, `${used.length} used; more than once: ${words(twice)}`);
}

const replyOnce = invariant('reply-used-once', 'A reply is used at most once.', 'client', usedOnce);

const ownReply = invariant(
  'reply-of-its-own-request',
  'A reply about one operation completes no other request.',
  'client',
  (evidence) => {
    const crossed = messagesOf(evidence).filter(
      ({ cells }) =>
        cells.direction === 'in' &&
        cells.note === 'completed' &&
        cells.about !== null &&
        cells.operation !== cells.about,
    );
    return judged(crossed.length === 0, `${crossed.length} completed by another's reply`);
  },
);

const completedIsTrue = invariant(
  'completed-is-true',
  'Completed or reconciled implies a ticket of its own with equal parameters, or one that a person confirmed.',
  'both',
  (evidence) => {
    const claimed = operationsOf(evidence).filter(
      (row) => row.cells.status === 'completed' || row.cells.status === 'reconciled',
    );
    const false_ = claimed
      .filter((row) => !ownTicket(evidence, row) && !reviewedTicket(evidence, row))
      .map((row) => row.key);
    return judged(false_.length === 0, `${claimed.length} claimed; untrue: ${words(false_)}`);
  },
);

const freshCatalogue = invariant(
  'calls-after-a-fresh-catalogue',
  'A tool is called only on a catalogue received in this connection and not invalidated since.',
  'client',
  (evidence) => {
    let wrong = 0;
    let calls = 0;
    // Each connection has a catalogue of its own; two clients may be at work at once.
    const connections = new Map<Json, { generation: number; fresh: boolean; asked: Map<Json, number> }>();
    for (const { cells } of messagesOf(evidence)) {
      const epoch = cells.epoch ?? null;
      const known = connections.get(epoch) ?? { generation: 0, fresh: false, asked: new Map() };
      connections.set(epoch, known);
      const id = cells.id ?? null;
      if (cells.note === 'catalog_invalidated') {
        known.fresh = false;
        known.generation += 1;
      }
      if (cells.method === 'tools/list' && cells.direction === 'out') known.asked.set(id, known.generation);
      if (cells.note === 'catalog_received' && known.asked.get(id) === known.generation) known.fresh = true;
      if (cells.method === 'tools/call' && cells.direction === 'out') {
        calls += 1;
        if (!known.fresh) wrong += 1;
      }
    }
    return judged(wrong === 0, `${calls} calls, ${wrong} without a fresh catalogue`);
  },
);

const reconcileOnlyReads = invariant(
  'reconcile-leaves-the-service-alone',
  'A reconcile step commits nothing at the service.',
  'service',
  (_evidence, history) => {
    const last = history.at(-1);
    if (last?.command !== 'reconcile') return { result: 'holds', detail: 'no reconcile' };
    // Its own trace, not the rows: the server of a held client may commit beside it.
    const commits = last.trace.filter((line) => 'commit' in line && line.commit === SERVICE.id).length;
    return judged(commits === 0, `${commits} commits at the service`);
  },
);

const integrity: Invariant = {
  id: 'integrity',
  says: 'Both databases pass quick_check and foreign_key_check.',
  check(history) {
    const evidence = history.at(-1)?.evidence;
    if (!evidence) return { result: 'unknown', detail: 'no evidence was taken' };
    const missing = evidence.integrity.filter((one) => one.quickCheck === 'missing');
    const gone = missing.filter((one) => wasThere(history, one.store)).map((one) => one.store);
    const broken = evidence.integrity
      .filter((one) => one.quickCheck !== 'missing' && (one.quickCheck !== 'ok' || one.foreignKeys !== 'ok'))
      .map((one) => one.store);
    if (broken.length > 0) return { result: 'violated', detail: `not sound: ${words(broken)}` };
    if (gone.length > 0) return { result: 'unknown', detail: `gone: ${words(gone)}` };
    return { result: 'holds', detail: `${evidence.integrity.length - missing.length} sound` };
  },
};

export const invariants: Invariant[] = [
  versionCounts,
  oneTicket,
  uncertainStays,
  sentIsRemembered,
  replyOnce,
  ownReply,
  completedIsTrue,
  freshCatalogue,
  reconcileOnlyReads,
  invariant(
    'final-states-stay',
    'A final status, a stored ticket, update, recorded reply or decision never changes and is never lost.',
    'both',
    finalStatesStay,
  ),
  invariant(
    'effect-is-our-own',
    'Completed or reconciled names a ticket that a call of this operation made.',
    'both',
    effectIsOurs,
  ),
  {
    id: 'replies-are-true',
    says: 'What a reply says of an effect is so.',
    judgesReplies: true,
    check: repliesAreTrue,
  },
  invariant(
    'no-doubt-beside-proof',
    'No operation stays uncertain beside its own ticket once it was looked up.',
    'both',
    doubtEnds,
  ),
  integrity,
];
