/** The lab's database as executors use it: opened, read in one snapshot, written. */
import { DrillError } from '../../core/errors.ts';
import type { Db } from '../../sqlite/open.ts';
import { withStore } from '../kit/child.ts';
import type { Facts, LedgerFact, ReceiptFact } from './classify.ts';
import type { Proposal } from './proposal.ts';
import { type Conclusion, LAB, type LedgerStatus, TARGET, type Without } from './words.ts';

/** One command at work: its connection, and the rules that are off. */
export interface Work {
  db: Db;
  without: Without;
}

/** Opens the lab for writing and closes it afterwards. @throws DrillError `no-database` or `not-a-database` */
export function withLab<T>(dir: string, without: Without, work: (work: Work) => T): T {
  return withStore(dir, LAB, (db) => work({ db, without }));
}

interface LedgerRow extends Omit<LedgerFact, 'value'> {
  value: number;
}

function readLedger(db: Db, operation: string): LedgerFact | null {
  const row = db
    .prepare(
      `SELECT operation, digest, target, expected_version AS expectedVersion, value, status
       FROM operations WHERE operation = ?`,
    )
    .get(operation) as LedgerRow | undefined;
  return row ? { ...row, value: row.value === 1 } : null;
}

/** Ledger, receipt and target of one operation. Call it inside one transaction: `snapshot` or `commit`. */
export function readFacts(db: Db, operation: string): Facts {
  const receipt = db
    .prepare('SELECT digest, from_version AS fromVersion, version FROM receipts WHERE operation = ?')
    .get(operation) as ReceiptFact | undefined;
  const decision = db
    .prepare('SELECT conclusion FROM decisions WHERE operation = ? ORDER BY seq DESC LIMIT 1')
    .get(operation) as { conclusion: Conclusion } | undefined;
  return {
    ledger: readLedger(db, operation),
    receipt: receipt ?? null,
    target: readTarget(db),
    decided: decision?.conclusion ?? null,
  };
}

/** @throws DrillError `not-a-database` where the target's row is gone, which no command of the lab does */
export function readTarget(db: Db): Facts['target'] {
  const row = db
    .prepare('SELECT version, block_public_access AS value FROM targets WHERE target = ?')
    .get(TARGET) as { version: number; value: number } | undefined;
  if (!row) throw new DrillError('not-a-database', `The database has no target "${TARGET}".`);
  return { version: row.version, value: row.value === 1 };
}

export function addEvent(db: Db, operation: string, kind: string, detail = ''): void {
  db.prepare('INSERT INTO events (operation, kind, detail) VALUES (?, ?, ?)').run(operation, kind, detail);
}

/** @returns false where the operation is known already; nothing is written then */
export function insertLedger(db: Db, proposal: Proposal, status: LedgerStatus): boolean {
  const { operation, digest, target, expectedVersion, value } = proposal;
  const result = db
    .prepare(
      `INSERT INTO operations (operation, digest, target, expected_version, value, status)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (operation) DO NOTHING`,
    )
    .run(operation, digest, target, expectedVersion, value ? 1 : 0, status);
  return result.changes === 1;
}

/**
 * Moves a status on, from the status that the move was decided from.
 *
 * @returns false where the ledger says something else by now; nothing is written then
 */
export function moveStatus(db: Db, operation: string, from: LedgerStatus, to: LedgerStatus): boolean {
  const result = db
    .prepare('UPDATE operations SET status = ? WHERE operation = ? AND status = ?')
    .run(to, operation, from);
  return result.changes === 1;
}

/** Changes the target and, in the same commit, tells the ground truth who did. @returns the new version */
export function changeTarget(
  db: Db,
  change: { operation: string | null; actor: string; value: boolean },
): number {
  const before = readTarget(db);
  const version = before.version + 1;
  const value = change.value ? 1 : 0;
  db.prepare('UPDATE targets SET version = ?, block_public_access = ? WHERE target = ?').run(
    version,
    value,
    TARGET,
  );
  db.prepare(
    `INSERT INTO ground_truth (target, operation, actor, from_version, from_value, to_version, to_value)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(TARGET, change.operation, change.actor, before.version, before.value ? 1 : 0, version, value);
  return version;
}
