/** What the surviving evidence permits: the recover table of README.md as one pure function. */
import type { Decision, Effect } from '../../evidence/model.ts';
import { type Conclusion as Decided, keeps, type LedgerStatus, type Without } from './words.ts';

export interface LedgerFact {
  operation: string;
  digest: string;
  target: string;
  expectedVersion: number;
  value: boolean;
  status: LedgerStatus;
}

export interface ReceiptFact {
  digest: string;
  fromVersion: number;
  version: number;
}

export interface TargetFact {
  version: number;
  value: boolean;
}

/** Ledger, receipt and target of one operation, read in one snapshot. */
export interface Facts {
  ledger: LedgerFact | null;
  receipt: ReceiptFact | null;
  target: TargetFact;
  /** The last reviewed decision. */
  decided: Decided | null;
}

export interface Classification {
  /** The ledger's status after recording this, or `nothing-recorded` where there is no ledger row. */
  status: LedgerStatus | 'nothing-recorded';
  effect: Effect;
  retryable: boolean;
  decision: Decision;
  exit: number;
  /** The receipt's version is no longer the target's: the earlier effect stands, somebody acted after it. */
  driftAfterReceipt: boolean;
}

type Conclusion = Omit<Classification, 'driftAfterReceipt'>;

const confirmed = (status: Classification['status'], decision: Decision): Conclusion => ({
  status,
  effect: 'confirmed',
  retryable: false,
  decision,
  exit: 0,
});

const unknown = (status: Classification['status']): Conclusion => ({
  status,
  effect: 'unknown',
  retryable: false,
  decision: 'investigate',
  exit: 2,
});

const absent = (status: Classification['status'], exit: number): Conclusion => ({
  status,
  effect: 'absent',
  retryable: true,
  decision: 'retry-same-key',
  exit,
});

function pending(
  ledger: LedgerFact,
  receipt: ReceiptFact | null,
  target: TargetFact,
  without: Without,
): Conclusion {
  if (!keeps(without, 'receipt-before-retry')) return absent('pending', 4);
  if (receipt)
    return receipt.digest === ledger.digest ? confirmed('reconciled', 'reconcile') : unknown('uncertain');
  if (!keeps(without, 'ownership-needs-receipt') && target.value === ledger.value) {
    return confirmed('reconciled', 'reconcile');
  }
  return target.version === ledger.expectedVersion ? absent('pending', 4) : unknown('uncertain');
}

/** What a person concluded where the evidence leaves the effect unknown. */
function afterDecision(status: Classification['status'], decided: Decided | null): Conclusion {
  if (decided === 'confirmed') return confirmed(status, 'none');
  if (decided === 'absent') return absent(status, 4);
  if (decided === 'void') return { ...unknown(status), decision: 'none', exit: 3 };
  return unknown(status);
}

function conclude({ ledger, receipt, target, decided }: Facts, without: Without): Conclusion {
  if (!ledger) return receipt ? afterDecision('nothing-recorded', decided) : absent('nothing-recorded', 3);
  switch (ledger.status) {
    case 'pending':
      return pending(ledger, receipt, target, without);
    case 'complete':
    case 'reconciled':
      return confirmed(ledger.status, 'none');
    case 'rejected':
      // A rejection beside a receipt contradicts itself; neither record may then be believed.
      if (receipt) return afterDecision('rejected', decided);
      return { status: 'rejected', effect: 'absent', retryable: false, decision: 'none', exit: 3 };
    case 'uncertain':
      // The operation's own receipt ends every doubt about its effect, however late somebody looks.
      if (receipt?.digest === ledger.digest) return confirmed('reconciled', 'reconcile');
      return afterDecision('uncertain', decided);
  }
}

/**
 * Classifies an operation from one consistent snapshot (README.md, "What recovery concludes").
 *
 * @param without safeguards that are off: `receipt-before-retry` and `ownership-needs-receipt` are decided here
 */
export function classify(facts: Facts, without: Without): Classification {
  const { receipt, target } = facts;
  return {
    ...conclude(facts, without),
    driftAfterReceipt: receipt !== null && receipt.version !== target.version,
  };
}
