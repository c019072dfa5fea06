/** What every sound run keeps, judged after every step against the ground truth (README.md, "Invariants"). */
import { canonicalJson } from '../../core/canonical.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row, type TruthChange } from '../../evidence/model.ts';
import type { Invariant, Judgement } from '../contract.ts';
import { storeState } from './facts.ts';
import { approvedDispatch } from './invariant-approval.ts';
import { judge, plural } from './judging.ts';
import { COMPENSATION_FINAL, FINAL, RUNS, STORES, TICKETS } from './words.ts';

type History = readonly StepRecord[];
type Check = (evidence: Evidence, history: History) => Judgement;

const isCompensation = (key: string): boolean => key.endsWith(':compensation');
const records = (evidence: Evidence): Row[] => panel(evidence, 'operation').rows;
const runsOf = (evidence: Evidence): Row[] => records(evidence).filter(({ key }) => !isCompensation(key));
const isFinal = ({ key, cells }: Row): boolean =>
  (isCompensation(key) ? COMPENSATION_FINAL : FINAL).includes(String(cells.state));

/** Nothing can be said of a store that is gone or unreadable; before `init` there is nothing to break. */
function unjudgeable(history: History, stores: readonly string[]): Judgement | null {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return { result: 'unknown', detail: 'no evidence was read' };
  for (const store of stores) {
    const state = storeState(evidence, store);
    if (state === 'sound') continue;
    const before = history.some(
      (record) => record.evidence && storeState(record.evidence, store) !== 'missing',
    );
    if (state === 'missing' && !before) return { result: 'holds', detail: 'no database yet' };
    return { result: 'unknown', detail: `${store}.sqlite is ${state}` };
  }
  return null;
}

function on(stores: readonly string[], check: Check): Invariant['check'] {
  return (history) => unjudgeable(history, stores) ?? check(history.at(-1)?.evidence as Evidence, history);
}

const BOTH = [RUNS.id, TICKETS.id];

function byOperation(evidence: Evidence): Map<string, TruthChange[]> {
  const found = new Map<string, TruthChange[]>();
  for (const change of evidence.truth) {
    if (change.operation === null) continue;
    found.set(change.operation, [...(found.get(change.operation) ?? []), change]);
  }
  return found;
}

const oneTicket: Check = (evidence) => {
  const changes = [...byOperation(evidence)];
  const twice = changes.find(([, made]) => made.length > 1);
  if (twice) {
    const what = isCompensation(twice[0]) ? 'void' : 'ticket';
    return judge(false, `${plural(twice[1].length, what)}, 1 intent`);
  }
  return judge(true, `${plural(changes.length, 'effect')}, at most 1 for each intent`);
};

const withinBudget: Check = (evidence) => {
  for (const { key, cells } of runsOf(evidence)) {
    const dispatched = panel(evidence, 'events').rows.filter(
      (row) => row.cells.operation === key && row.cells.kind === 'dispatch_prepared',
    ).length;
    const spent = Math.max(dispatched, Number(cells.attempts));
    if (spent > Number(cells.budget))
      return judge(false, `${plural(spent, 'attempt')}, budget ${cells.budget}`);
  }
  return judge(true, `${plural(runsOf(evidence).length, 'run')} within budget`);
};

const succeededAsExpected: Check = (evidence) => {
  const done = runsOf(evidence).filter(({ cells }) => cells.state === 'succeeded');
  for (const { cells } of done) {
    const ticket = panel(evidence, 'target').rows.find((row) => row.key === cells.ticket)?.cells;
    if (!ticket) return judge(false, `succeeded, ${cells.ticket ?? 'no ticket'} not there`);
    if (ticket.status === 'void') return judge(false, `succeeded, ${cells.ticket} is void`);
    if (ticket.source !== cells.expectedSource || ticket.title !== cells.expectedTitle) {
      return judge(false, `expected "${cells.expectedTitle}", ${cells.ticket} holds "${ticket.title}"`);
    }
  }
  return judge(true, `${done.length} succeeded, ${plural(done.length, 'ticket')} as expected`);
};

const cancellationTrue: Check = (evidence) => {
  const cancelled = runsOf(evidence).filter(({ cells }) => cells.state === 'cancelled');
  for (const { key, cells } of cancelled) {
    const ours = evidence.truth.filter((change) => change.operation === key && change.from === null);
    const there = panel(evidence, 'target').rows.some((row) => row.key === cells.ticket);
    const known = cells.ticket === null || there;
    if (!known || ours.some((change) => change.target !== cells.ticket)) {
      const held = ours.map((change) => change.target).join(', ') || 'none';
      return judge(false, `recorded ${cells.ticket ?? 'none'}, the service holds ${held}`);
    }
  }
  return judge(true, `${plural(cancelled.length, 'cancellation')}, as recorded`);
};

/** The last evidence before this step in which the record could be read. */
function before(history: History): Evidence | null {
  const sound = (record: StepRecord) => record.evidence && storeState(record.evidence, RUNS.id) === 'sound';
  return history.slice(0, -1).findLast(sound)?.evidence ?? null;
}

const finalStays: Check = (evidence, history) => {
  const earlier = before(history);
  const final = earlier ? records(earlier).filter(isFinal) : [];
  for (const { key, cells } of final) {
    const now = records(evidence).find((row) => row.key === key)?.cells;
    if (!now || now.state !== cells.state)
      return judge(false, `${cells.state} -> ${now?.state ?? 'no record'}`);
    // What proves a final state is kept with it: the ticket of a run, the residue of a compensation.
    for (const proof of ['ticket', 'residue'])
      if (now[proof] !== cells[proof]) return judge(false, `${proof} ${cells[proof]} -> ${now[proof]}`);
  }
  return judge(true, `${plural(final.length, 'final state')} kept`);
};

function contractOf({ cells }: Row): string {
  const { principal, source, title, tool, expectedSource, expectedTitle, expectedTool, budget } = cells;
  return canonicalJson({
    principal,
    source,
    title,
    tool,
    expectedSource,
    expectedTitle,
    expectedTool,
    budget,
  });
}

const contractStays: Check = (evidence, history) => {
  const earlier = before(history);
  const known = earlier ? runsOf(earlier) : [];
  for (const row of known) {
    const now = records(evidence).find(({ key }) => key === row.key);
    if (now && contractOf(now) !== contractOf(row)) return judge(false, `the contract of ${row.key} changed`);
  }
  return judge(true, `${plural(known.length, 'contract')} kept`);
};

const saysTrue: Check = (evidence, history) => {
  const step = history.at(-1);
  let answers = 0;
  if (step?.command === 'compensate') return judge(true, 'the residue is judged instead');
  for (const { reply } of step?.executors ?? []) {
    if (typeof reply?.operation !== 'string' || typeof reply.effect !== 'string') continue;
    answers += 1;
    const ours = byOperation(evidence).get(reply.operation)?.length ?? 0;
    // An equal ticket is not enough: this operation has made the one that the reply names.
    const made = byOperation(evidence)
      .get(reply.operation)
      ?.some((change) => change.from === null && change.target === reply.ticket);
    const untrue = (reply.effect === 'confirmed' && !made) || (reply.effect === 'absent' && ours > 0);
    if (untrue && !isCompensation(reply.operation))
      return judge(false, `answered ${reply.effect}, this operation made ${plural(ours, 'ticket')}`);
  }
  return judge(true, answers === 0 ? 'no answer to judge' : `${plural(answers, 'answer')}, all true`);
};

/** A void of a compensation is of a ticket that its own run has made. */
const onlyItsOwn: Check = (evidence) => {
  const voids = evidence.truth.filter(({ operation }) => operation !== null && isCompensation(operation));
  for (const { operation, target } of voids) {
    const run = String(operation).replace(/compensation$/, 'ticket');
    const own = evidence.truth.some(
      (change) => change.from === null && change.target === target && change.operation === run,
    );
    if (!own) return judge(false, `${operation} voided ${target}, which its run did not make`);
  }
  return judge(true, `${plural(voids.length, 'void')} of own tickets`);
};

/** A `run` that ended and could read the operation's own ticket leaves no doubt about it. */
const proofEndsDoubt: Check = (evidence, history) => {
  const step = history.at(-1);
  const keys = panel(evidence, 'receipts').rows;
  // A request to cancel only records the wish; it reads nothing.
  const reads = step?.command === 'run' && step.args.cancel !== true;
  for (const { reply } of reads ? step.executors : []) {
    const row = records(evidence).find(({ key }) => key === reply?.operation);
    // To a record without a dispatch the key proves nothing.
    if (!row || row.cells.dispatchedAt === null || reply?.status !== row.cells.state) continue;
    if (!['dispatching', 'verifying', 'reconcile_required'].includes(String(row.cells.state))) continue;
    const proof = keys.find(({ key, cells }) => key === row.key && cells.kind === 'create');
    const own = evidence.truth.some(
      ({ operation, target }) => operation === row.key && target === proof?.cells.ticket,
    );
    // A look-up that lags may not have seen it yet.
    if (own && Number(row.cells.sureFrom ?? 0) <= (step?.now ?? 0))
      return judge(false, `${row.cells.state} beside ${proof?.cells.ticket}, made by this operation`);
  }
  return judge(true, 'no doubt beside a proof that was read');
};

/** Judged at the step that made the compensation final: what others do to the ticket afterwards is theirs. */
const residueTrue: Check = (evidence, history) => {
  const earlier = before(history);
  const wasFinal = (key: string) =>
    earlier && records(earlier).some((row) => row.key === key && isFinal(row));
  const fresh = records(evidence).filter(
    (row) => isCompensation(row.key) && isFinal(row) && !wasFinal(row.key),
  );
  for (const { cells } of fresh) {
    const status = panel(evidence, 'target').rows.find((row) => row.key === cells.ticket)?.cells.status;
    const left = status === undefined ? `${cells.ticket} missing` : `${cells.ticket} ${status}`;
    const residue = status === 'void' ? 'none' : left;
    const good = cells.residue === residue && (cells.state === 'compensated') === (status === 'void');
    if (!good) return judge(false, `${cells.state}, residue ${cells.residue}; the ticket is ${status}`);
  }
  return judge(true, `${plural(fresh.length, 'compensation')} ended in this step`);
};

function integrity(history: History): Judgement {
  const refused = unjudgeable(history, []);
  if (refused) return refused;
  const evidence = history.at(-1)?.evidence as Evidence;
  for (const { id } of STORES) {
    const found = evidence.integrity.find((entry) => entry.store === id);
    const state = storeState(evidence, id);
    if (state === 'missing' || state === 'unreadable') {
      const gone = unjudgeable(history, [id]);
      if (gone?.result === 'unknown') return gone;
      continue;
    }
    const detail = `${id}: quick check ${found?.quickCheck}, foreign keys ${found?.foreignKeys}`;
    if (state === 'damaged') return judge(false, detail);
  }
  return judge(true, 'quick check ok, foreign keys ok');
}

const invariant = (id: string, invariant: string, check: Invariant['check']): Invariant => ({
  id,
  says: invariant,
  check,
});

export const invariants: Invariant[] = [
  invariant('one-ticket-one-intent', 'At most one ticket for one intent', on([TICKETS.id], oneTicket)),
  invariant('attempts-within-budget', 'Attempts never exceed the budget', on([RUNS.id], withinBudget)),
  invariant(
    'no-ticket-without-approval',
    'No ticket of ours without a matching approval at its dispatch',
    on([TICKETS.id], approvedDispatch),
  ),
  invariant(
    'succeeded-as-expected',
    'Succeeded implies a ticket equal to what was expected',
    on(BOTH, succeededAsExpected),
  ),
  invariant('cancellation-true', 'A cancellation is true', on(BOTH, cancellationTrue)),
  invariant('final-state-stays', 'A final state and its proof never change', on([RUNS.id], finalStays)),
  invariant('contract-stays', 'The contract of a run never changes', on([RUNS.id], contractStays)),
  {
    ...invariant('recovery-says-true', 'What recovery says is true', on(BOTH, saysTrue)),
    judgesReplies: true,
  },
  invariant('residue-true', 'A compensation names what is left', on(BOTH, residueTrue)),
  invariant(
    'compensates-its-own',
    'A compensation voids only what its own run has made',
    on([TICKETS.id], onlyItsOwn),
  ),
  invariant(
    'proof-ends-doubt',
    'Doubt ends once the proof of the effect has been read',
    on(BOTH, proofEndsDoubt),
  ),
  invariant('integrity', 'Both integrity checks pass', integrity),
];
