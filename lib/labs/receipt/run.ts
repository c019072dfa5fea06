/** `run <proposal> --approve`: intent, target with its receipt, completion; three commits (README.md, "Rules of run"). */
import { boundary } from '../../boundary/boundary.ts';
import { commitOrLeave, snapshot } from '../../sqlite/open.ts';
import type { Outcome } from '../child.ts';
import { refusal } from '../kit/child.ts';
import { conclusion, recorded, superseded } from './answer.ts';
import { classify, type LedgerFact } from './classify.ts';
import type { Proposal } from './proposal.ts';
import { settlePending } from './recover.ts';
import { addEvent, changeTarget, insertLedger, moveStatus, readFacts, type Work } from './store.ts';
import { keeps, type LedgerStatus, STORE } from './words.ts';

/** One submission at work. */
interface Submission extends Work {
  proposal: Proposal;
  /** This process recorded the intent itself, so a moved version is somebody else's doing and a rejection is certain. */
  own: boolean;
}

/** Why the transaction at the target wrote nothing. */
type Hindrance = 'done-already' | 'moved' | 'contradicted' | 'superseded';

/**
 * Submits an approved proposal.
 *
 * @returns the recorded classification where there is one; else what this execution came to
 * @throws DrillError `busy` after the bounded wait for the write lock
 */
export function submit(work: Work, proposal: Proposal): Outcome {
  const { db, without } = work;
  boundary('before-intent');
  const { ledger } = snapshot(db, () => readFacts(db, proposal.operation));
  if (ledger) return resubmit(work, proposal);
  if (!keeps(without, 'intent-first')) return execute({ ...work, proposal, own: true });
  return recordIntent(work, proposal) ? execute({ ...work, proposal, own: true }) : resubmit(work, proposal);
}

/** @returns false where another process recorded the operation first */
function recordIntent({ db, without }: Work, proposal: Proposal): boolean {
  const boundaries = { before: 'before-intent-commit', after: 'after-intent' };
  return commitOrLeave<boolean>(db, STORE, 'intent', boundaries, (leave) => {
    if (!insertLedger(db, proposal, 'pending')) return leave(false);
    if (keeps(without, 'review')) addEvent(db, proposal.operation, 'reviewed', 'approval simulated');
    addEvent(db, proposal.operation, 'intent-recorded', `expects version ${proposal.expectedVersion}`);
    return true;
  });
}

function conflict(ledger: LedgerFact): Outcome {
  const message = `Operation ${ledger.operation} is recorded with another digest; nothing was executed.`;
  return refusal('conflict', message, { operation: ledger.operation, recorded: ledger.status });
}

/** A known operation: what is recorded counts; only a pending one whose effect is absent goes on. */
function resubmit(work: Work, proposal: Proposal): Outcome {
  const { db, without } = work;
  const { operation } = proposal;
  const facts = snapshot(db, () => readFacts(db, operation));
  const { ledger } = facts;
  if (!ledger) return superseded(work, operation, false);
  if (ledger.digest !== proposal.digest && keeps(without, 'digest-conflict')) return conflict(ledger);
  const submission: Submission = { ...work, proposal, own: false };
  const known = classify(facts, without);
  const doubt = ledger.status === 'uncertain';
  if (doubt && known.status === 'uncertain') {
    if (known.effect === 'absent') return reopen({ ...submission, own: true });
    if (!keeps(without, 'uncertain-stays')) return reopen(submission);
  }
  if (ledger.status !== 'pending' && known.status === ledger.status) return conclusion(operation, known);
  const found = settlePending(work, operation, false);
  if (found.status !== 'pending') return conclusion(operation, found);
  return execute(submission);
}

/**
 * An operation in doubt runs again: after a decision that its effect is absent, or, without `uncertain-stays`, simply
 * so.
 */
function reopen(submission: Submission): Outcome {
  const { db, proposal } = submission;
  const moved = commitOrLeave<boolean>(db, STORE, 'reopening', {}, (leave) => {
    if (!moveStatus(db, proposal.operation, 'uncertain', 'pending')) return leave(false);
    addEvent(db, proposal.operation, 'reopened');
    return true;
  });
  return moved ? execute(submission) : recorded(submission, proposal.operation);
}

function execute(submission: Submission): Outcome {
  const outcome = atTarget(submission);
  if (typeof outcome === 'number') {
    if (!keeps(submission.without, 'receipt-in-the-same-commit')) addReceiptAlone(submission, outcome);
    return finish(submission, 'complete', 'completed', true);
  }
  switch (outcome) {
    case 'done-already':
      return finish(submission, 'complete', 'completed', false);
    case 'moved':
      return submission.own
        ? finish(submission, 'rejected', 'rejected', false)
        : finish(submission, 'uncertain', 'marked-uncertain', false);
    case 'contradicted':
      return finish(submission, 'uncertain', 'marked-uncertain', false);
    case 'superseded':
      return superseded(submission, submission.proposal.operation, false);
  }
}

/** Null where the target may be written. Read under the write lock. */
function hindrance({ db, without, proposal }: Submission): Hindrance | null {
  const { ledger, receipt, target } = readFacts(db, proposal.operation);
  const recordGone = !ledger && keeps(without, 'intent-first');
  if (recordGone || (ledger && ledger.status !== 'pending')) return 'superseded';
  if (receipt && keeps(without, 'receipt-before-retry')) {
    return receipt.digest === proposal.digest ? 'done-already' : 'contradicted';
  }
  if (target.version !== proposal.expectedVersion && keeps(without, 'version-check')) return 'moved';
  return null;
}

/** The second transaction: the target together with its receipt. @returns the new version, or what hindered it */
function atTarget(submission: Submission): number | Hindrance {
  const { db, without, proposal } = submission;
  const boundaries = { before: 'before-target-commit', after: 'after-target' };
  return commitOrLeave<number | Hindrance>(db, STORE, 'target', boundaries, (leave) => {
    const reason = hindrance(submission);
    if (reason) return leave(reason);
    const { operation, value } = proposal;
    const version = changeTarget(db, { operation, actor: 'executor', value });
    if (keeps(without, 'receipt-in-the-same-commit')) addReceipt(submission, version);
    addEvent(db, operation, 'target-changed', `version ${version - 1} -> ${version}`);
    return version;
  });
}

function addReceipt({ db, without, proposal }: Submission, version: number): void {
  // Only a retry that never looked for its receipt can find one here, and it takes it for its own.
  const again = keeps(without, 'receipt-before-retry')
    ? ''
    : `ON CONFLICT (operation) DO UPDATE SET digest = excluded.digest,
         from_version = excluded.from_version, version = excluded.version`;
  db.prepare(
    `INSERT INTO receipts (operation, digest, target, from_version, version) VALUES (?, ?, ?, ?, ?) ${again}`,
  ).run(proposal.operation, proposal.digest, proposal.target, version - 1, version);
}

/** What `receipt-in-the-same-commit` prevents: between these two commits a change has no proof. */
function addReceiptAlone(submission: Submission, version: number): void {
  const boundaries = { before: 'before-receipt-commit', after: 'after-receipt' };
  commitOrLeave<void>(submission.db, STORE, 'receipt', boundaries, () => addReceipt(submission, version));
}

/**
 * The third transaction: the status that the execution came to, from `pending` and from nothing else.
 *
 * @param changedTarget whether this process has changed the target
 */
function finish(submission: Submission, status: LedgerStatus, kind: string, changedTarget: boolean): Outcome {
  const { db, without, proposal } = submission;
  const { operation } = proposal;
  const boundaries = { before: 'before-complete-commit', after: 'after-complete' };
  const recordedIt = commitOrLeave<boolean>(db, STORE, 'completion', boundaries, (leave) => {
    const moved =
      moveStatus(db, operation, 'pending', status) ||
      (!keeps(without, 'intent-first') && insertLedger(db, proposal, status));
    if (!moved) return leave(false);
    addEvent(db, operation, kind);
    return true;
  });
  return recordedIt ? recorded(submission, operation) : superseded(submission, operation, changedTarget);
}
