/** What every sound run keeps, judged after every step against the ground truth (README.md, "Invariants"). */
import { canonicalJson } from '../../core/canonical.ts';
import { isObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, type PanelId, panel, type TruthChange } from '../../evidence/model.ts';
import type { Invariant, Judgement } from '../contract.ts';
import { databaseState } from './facts.ts';
import { FINAL, type LedgerStatus, STORE, TARGET } from './words.ts';

type History = readonly StepRecord[];
type Check = (evidence: Evidence, history: History) => Judgement;

const judge = (good: boolean, detail: string): Judgement => ({ result: good ? 'holds' : 'violated', detail });
const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
const rowsOf = (evidence: Evidence, id: PanelId) => panel(evidence, id).rows;

function wasThere(history: History): boolean {
  return history.some((record) => record.evidence && databaseState(record.evidence) !== 'missing');
}

/** Nothing can be said of a database that is gone or cannot be read; before `init` there is nothing to break. */
function unjudgeable(history: History): Judgement | null {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return { result: 'unknown', detail: 'no evidence was read' };
  switch (databaseState(evidence)) {
    case 'missing':
      if (wasThere(history)) return { result: 'unknown', detail: 'the database is gone' };
      return { result: 'holds', detail: 'no database yet' };
    case 'unreadable':
      return { result: 'unknown', detail: 'the file is no database' };
    default:
      return null;
  }
}

function onFacts(check: Check): Invariant['check'] {
  return (history) => {
    const refused = unjudgeable(history);
    if (refused) return refused;
    const evidence = history.at(-1)?.evidence as Evidence;
    if (databaseState(evidence) === 'damaged')
      return { result: 'unknown', detail: 'the database is damaged' };
    return check(evidence, history);
  };
}

const changesOf = (evidence: Evidence, operation: string): TruthChange[] =>
  evidence.truth.filter((change) => change.operation === operation);

/** Operations that a `run` was started for, whatever came of it. */
function submitted(history: History): Map<string, Set<number>> {
  const versions = new Map<string, Set<number>>();
  for (const { command, args } of history) {
    const proposal = args.proposal;
    if (command !== 'run' || !isObject(proposal) || typeof proposal.operation !== 'string') continue;
    const known = versions.get(proposal.operation) ?? new Set<number>();
    versions.set(proposal.operation, known.add(Number(proposal.expectedVersion)));
  }
  return versions;
}

const oneEffect: Check = (evidence, history) => {
  const changed = evidence.truth.map((change) => change.operation).filter((operation) => operation !== null);
  const operations = new Set([...changed, ...submitted(history).keys()]);
  const most = [...operations].sort(
    (a, b) => changesOf(evidence, b).length - changesOf(evidence, a).length,
  )[0];
  const worst = most === undefined ? 0 : changesOf(evidence, most).length;
  if (worst > 1) return judge(false, `${plural(worst, 'effect')}, 1 intent`);
  return judge(true, `${plural(changed.length, 'effect')}, ${plural(operations.size, 'intent')}`);
};

const everyChangeAccounted: Check = (evidence) => {
  const row = rowsOf(evidence, 'target').find((candidate) => candidate.key === TARGET);
  const version = Number(row?.cells.version);
  const receipts = rowsOf(evidence, 'receipts').length;
  const others = evidence.truth.filter((change) => change.operation === null).length;
  const sum = `1 + ${plural(receipts, 'receipt')} + ${plural(others, 'other change')}`;
  return judge(version === 1 + receipts + others, `version ${version}, ${sum}`);
};

const reviewedVersion: Check = (evidence, history) => {
  const reviewed = submitted(history);
  for (const { operation, from } of evidence.truth) {
    if (operation === null || !isObject(from)) continue;
    const versions = reviewed.get(operation) ?? new Set<number>();
    if (!versions.has(Number(from.version))) {
      const expected = [...versions].join(' or ') || 'none';
      return judge(false, `changed from version ${from.version}, reviewed: version ${expected}`);
    }
  }
  return judge(
    true,
    `${plural(evidence.truth.filter((c) => c.operation !== null).length, 'effect')} looked at`,
  );
};

const recoverySaysTrue: Check = (evidence, history) => {
  let said = 0;
  for (const { reply } of history.at(-1)?.executors ?? []) {
    if (typeof reply?.operation !== 'string' || typeof reply.effect !== 'string') continue;
    said += 1;
    const count = changesOf(evidence, reply.operation).length;
    const untrue = (reply.effect === 'confirmed' && count === 0) || (reply.effect === 'absent' && count > 0);
    if (untrue) return judge(false, `said ${reply.effect}, ${plural(count, 'effect')} observed`);
  }
  return judge(true, said === 0 ? 'nothing was said' : `${plural(said, 'answer')}, as observed`);
};

const receiptWithDigest: Check = (evidence) => {
  const ledger = new Map(rowsOf(evidence, 'operation').map((row) => [row.key, row.cells.digest]));
  const receipts = rowsOf(evidence, 'receipts');
  if (new Set(receipts.map((row) => row.key)).size < receipts.length)
    return judge(false, 'two receipts, 1 operation');
  const short = (digest: unknown) => (digest === '' ? 'empty' : String(digest ?? 'no record').slice(0, 9));
  const odd = receipts.find((row) => ledger.get(row.key) !== row.cells.digest);
  if (odd) return judge(false, `receipt ${short(odd.cells.digest)}, ledger ${short(ledger.get(odd.key))}`);
  return judge(true, `${plural(receipts.length, 'receipt')}, ${plural(receipts.length, 'matching record')}`);
};

const recoveryLeavesTarget: Check = (evidence, history) => {
  const before = history.at(-2)?.evidence;
  if (history.at(-1)?.command !== 'recover' || !before) return judge(true, 'no recovery in this step');
  for (const id of ['target', 'receipts'] as const) {
    const [a, b] = [rowsOf(before, id), rowsOf(evidence, id)];
    if (canonicalJson(a) !== canonicalJson(b))
      return judge(false, `${id} differ: ${a.length} -> ${b.length} rows`);
  }
  const version = rowsOf(evidence, 'target')[0]?.cells.version;
  return judge(
    true,
    `version ${version}, ${plural(rowsOf(evidence, 'receipts').length, 'receipt')}, as before`,
  );
};

const completeHasReceipt: Check = (evidence) => {
  const receipts = new Set(rowsOf(evidence, 'receipts').map((row) => row.key));
  const done = rowsOf(evidence, 'operation').filter((row) =>
    ['complete', 'reconciled'].includes(String(row.cells.status)),
  );
  const proven = done.filter((row) => receipts.has(row.key)).length;
  return judge(proven === done.length, `${done.length} complete or reconciled, ${proven} with a receipt`);
};

const FINAL_EVENTS = ['completed', 'reconciled', 'rejected', 'marked-uncertain'];

/** What the history tells of an operation after it had come to its end, or null; within one step, too. */
function afterTheEnd(evidence: Evidence): string | null {
  const ended = new Map<string, string>();
  for (const { cells } of rowsOf(evidence, 'events')) {
    const [operation, kind] = [String(cells.operation), String(cells.kind)];
    const end = ended.get(operation);
    if (end) return `${end}, then ${kind}`;
    if (FINAL_EVENTS.includes(kind)) ended.set(operation, kind);
  }
  return null;
}

const finalStays: Check = (evidence, history) => {
  const after = afterTheEnd(evidence);
  if (after) return judge(false, after);
  const before = history
    .slice(0, -1)
    .findLast((record) => record.evidence && databaseState(record.evidence) === 'sound')?.evidence;
  const statuses = new Map(rowsOf(evidence, 'operation').map((row) => [row.key, row.cells.status]));
  const final = (before ? rowsOf(before, 'operation') : []).filter((row) =>
    FINAL.includes(row.cells.status as LedgerStatus),
  );
  for (const { key, cells } of final) {
    const now = statuses.get(key) ?? 'no record';
    if (now !== cells.status) return judge(false, `${cells.status} -> ${now}`);
  }
  return judge(true, `${final.length} final ${final.length === 1 ? 'status' : 'statuses'} kept`);
};

function integrity(history: History): Judgement {
  const refused = unjudgeable(history);
  if (refused) return refused;
  const found = history.at(-1)?.evidence?.integrity.find((entry) => entry.store === STORE);
  const detail = `quick check ${found?.quickCheck}, foreign keys ${found?.foreignKeys}`;
  return judge(found?.quickCheck === 'ok' && found.foreignKeys === 'ok', detail);
}

const invariant = (id: string, invariant: string, check: Invariant['check']): Invariant => ({
  id,
  says: invariant,
  check,
});

export const invariants: Invariant[] = [
  invariant('one-effect-one-intent', 'One effect for one intent', onFacts(oneEffect)),
  invariant('every-change-accounted', 'Every change is accounted for', onFacts(everyChangeAccounted)),
  invariant(
    'effect-from-reviewed-version',
    'An effect starts from a version that was reviewed',
    onFacts(reviewedVersion),
  ),
  {
    ...invariant('recovery-says-true', 'What recovery says is true', onFacts(recoverySaysTrue)),
    judgesReplies: true,
  },
  invariant(
    'receipt-unique-with-digest',
    'At most one receipt an operation, and a ledger record with its digest',
    onFacts(receiptWithDigest),
  ),
  invariant(
    'recovery-leaves-target',
    'Recovery leaves the target and the receipts alone',
    onFacts(recoveryLeavesTarget),
  ),
  invariant('complete-has-receipt', 'Complete or reconciled implies a receipt', onFacts(completeHasReceipt)),
  invariant('final-status-stays', 'A final status never changes', onFacts(finalStays)),
  invariant('integrity', 'Both integrity checks pass', integrity),
];
