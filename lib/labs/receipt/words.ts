/** Names that the executor, the evidence reader and the manifest share. */
export const STORE = 'lab';
export const FILE = 'lab.sqlite';
/** Tables that make the file a database of this lab. */
export const TABLES = ['operations', 'targets', 'receipts', 'events', 'decisions', 'ground_truth'];
export const LAB = { id: STORE, file: FILE, tables: TABLES };
export const TARGET = 'synthetic-bucket';
export const PROPERTY = 'blockPublicAccess';
export const OPERATION = 'synthetic-finding-001';

export type LedgerStatus = 'pending' | 'complete' | 'reconciled' | 'rejected' | 'uncertain';

/** What a person may conclude about an operation that the evidence leaves unknown. */
export const CONCLUSIONS = ['confirmed', 'absent', 'void'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** Statuses that nothing leaves; `uncertain` is left by a recorded decision or by the operation's own receipt. */
export const FINAL: readonly LedgerStatus[] = ['complete', 'reconciled', 'rejected'];

/** The rules that can be switched off (README.md, "Safeguards"). */
export type Safeguard =
  | 'intent-first'
  | 'receipt-in-the-same-commit'
  | 'version-check'
  | 'receipt-before-retry'
  | 'digest-conflict'
  | 'ownership-needs-receipt'
  | 'uncertain-stays'
  | 'review';

export type Without = ReadonlySet<string>;

/** True while the safeguard is in force. */
export function keeps(without: Without, safeguard: Safeguard): boolean {
  return !without.has(safeguard);
}
