/** What every sound run keeps, judged after every step against the ground truth (README.md, "Invariants"). */
import { canonicalJson } from '../../core/canonical.ts';
import { isObject } from '../../core/json.ts';
import type { Evidence, TruthChange } from '../../evidence/model.ts';
import type { Invariant } from '../contract.ts';
import { type Check, type History, judge, lastSound, onStores, plural, rowsOf } from '../kit/judging.ts';
import { decisionsOf, factsOf } from './facts.ts';
import { FINAL, type LedgerStatus, STORE, TARGET } from './words.ts';

const onFacts = (check: Check) => onStores([STORE], check);

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

const FINAL_EVENTS = ['completed', 'reconciled', 'rejected'];

/** What the history tells of an operation after it had come to its end, or null; within one step, too. */
function afterTheEnd(evidence: Evidence): string | null {
  const ended = new Map<string, string>();
  for (const { key, cells } of rowsOf(evidence, 'events')) {
    if (key.startsWith('decision/')) continue;
    const [operation, kind] = [String(cells.operation), String(cells.kind)];
    const end = ended.get(operation);
    if (end && !(end === 'marked-uncertain' && leavesDoubt(evidence, operation, kind)))
      return `${end}, then ${kind}`;
    ended.delete(operation);
    if (FINAL_EVENTS.includes(kind) || kind === 'marked-uncertain') ended.set(operation, kind);
  }
  return null;
}

/** Doubt ends by the operation's own receipt, or after a recorded decision that the effect is absent. */
function leavesDoubt(evidence: Evidence, operation: string, kind: string): boolean {
  const facts = factsOf(evidence, operation);
  if (kind === 'reconciled') return facts?.receipt != null && facts.receipt.digest === facts.ledger?.digest;
  return kind === 'reopened' && decisionsOf(evidence, operation).includes('absent');
}

/** The proof itself: a receipt that was there is there, and says the same. */
function lostProof(before: Evidence, evidence: Evidence): string | null {
  const now = new Map(rowsOf(evidence, 'receipts').map(({ key, cells }) => [key, canonicalJson(cells)]));
  const lost = rowsOf(before, 'receipts').find(({ key, cells }) => now.get(key) !== canonicalJson(cells));
  return lost ? `the receipt of ${lost.key} ${now.has(lost.key) ? 'was overwritten' : 'is gone'}` : null;
}

const finalStays: Check = (evidence, history) => {
  const after = afterTheEnd(evidence);
  if (after) return judge(false, after);
  const before = lastSound(history, STORE);
  if (!before) return judge(true, '0 final statuses kept');
  const statuses = new Map(rowsOf(evidence, 'operation').map((row) => [row.key, String(row.cells.status)]));
  const final = rowsOf(before, 'operation').filter(({ cells }) =>
    [...FINAL, 'uncertain'].includes(cells.status as LedgerStatus),
  );
  for (const { key, cells } of final) {
    const now = statuses.get(key) ?? 'no record';
    if (now === cells.status) continue;
    const reopened = decisionsOf(evidence, key).includes('absent');
    const settled = now === 'reconciled' && leavesDoubt(evidence, key, now);
    if (cells.status !== 'uncertain' || !(settled || (reopened && now !== 'no record')))
      return judge(false, `${cells.status} -> ${now}`);
  }
  const lost = lostProof(before, evidence);
  if (lost) return judge(false, lost);
  return judge(true, `${final.length} final ${final.length === 1 ? 'status' : 'statuses'} kept`);
};

/** Commands that read the receipt: once one has ended, it knows what the receipt says. */
const READS_PROOF = ['run', 'recover', 'resolve'];

const noDoubtBesideProof: Check = (evidence, history) => {
  const last = history.at(-1);
  const ended = last?.executors.some(({ reply }) => typeof reply?.effect === 'string');
  if (!last || !READS_PROOF.includes(last.command) || !ended) return judge(true, 'nobody read a receipt');
  const doubts = rowsOf(evidence, 'operation').filter(({ cells }) => cells.status === 'uncertain');
  const proven = doubts.filter(
    ({ key, cells }) => factsOf(evidence, key)?.receipt?.digest === cells.digest,
  ).length;
  return judge(proven === 0, `${plural(doubts.length, 'doubt')}, ${proven} beside its own receipt`);
};

const decisionsStay: Check = (evidence, history) => {
  const decided = (of: Evidence) => rowsOf(of, 'events').filter(({ key }) => key.startsWith('decision/'));
  const before = lastSound(history, STORE);
  const now = new Map(decided(evidence).map(({ key, cells }) => [key, canonicalJson(cells)]));
  const lost = (before ? decided(before) : []).find(
    ({ key, cells }) => now.get(key) !== canonicalJson(cells),
  );
  return judge(!lost, lost ? `${lost.key} was changed` : `${plural(now.size, 'decision')} kept`);
};

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
  invariant('final-status-stays', 'A final status and a stored receipt never change', onFacts(finalStays)),
  invariant(
    'no-doubt-beside-proof',
    'No operation stays uncertain beside its own receipt',
    onFacts(noDoubtBesideProof),
  ),
  invariant('decisions-stay', 'A recorded decision never changes', onFacts(decisionsStay)),
];
