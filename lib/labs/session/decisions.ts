/** Reviewed decisions at the client: what they are compared with, and the commit that records one. */
import { commitOrLeave, type Db } from '../../sqlite/open.ts';
import type { Operation, OperationStatus } from './ledger.ts';
import { ownerLives } from './owner.ts';
import { CLIENT, type Conclusion } from './words.ts';

export interface Decision {
  conclusion: Conclusion;
  reference: number | null;
  looked: string;
  showed: string;
  by: string;
}

const DECIDED: Record<Conclusion, OperationStatus> = {
  confirmed: 'reconciled',
  absent: 'not-found',
  void: 'void',
};

export class Decisions {
  private readonly db: Db;
  private readonly file: string;

  constructor(db: Db, file: string) {
    this.db = db;
    this.file = file;
  }

  /** True while a client or a server of an earlier attempt lives: held or not, it may still act. */
  attemptLives(operation: string): boolean {
    const rows = this.db
      .prepare(
        `SELECT owner, server, server_code IS NOT NULL OR server_signal IS NOT NULL AS ended
         FROM connections WHERE epoch IN
           (SELECT epoch FROM requests WHERE method = 'tools/call' AND name = ?)`,
      )
      .all(operation) as { owner: string; server: string | null; ended: number }[];
    return rows.some(
      ({ owner, server, ended }) =>
        ended === 0 && (ownerLives(owner, this.file) || (server !== null && ownerLives(server, this.file))),
    );
  }

  /** The ticket that a reply in the log names for this operation, or null: late replies count. */
  ticketInLog(operation: string): number | null {
    const found = this.db
      .prepare(
        "SELECT ticket FROM messages WHERE direction = 'in' AND about = ? AND ticket IS NOT NULL ORDER BY seq LIMIT 1",
      )
      .pluck()
      .get(operation);
    return typeof found === 'number' ? found : null;
  }

  /**
   * A person's decision as a row of its own, and the status that follows from it, conditional on the record being as
   * it was when it was looked at.
   *
   * @returns false, with nothing written, where the record has moved on meanwhile
   */
  decide(from: Operation, decision: Decision): boolean {
    const [before, after] = ['before-decision-commit', 'after-decision'];
    return commitOrLeave<boolean>(this.db, CLIENT.id, 'decision', { before, after }, (leave) => {
      const { conclusion, reference, looked, showed, by } = decision;
      const { changes } = this.db
        .prepare(
          `UPDATE operations SET status = ?, reason = 'reviewed', ticket = ?
           WHERE operation = ? AND status = ? AND reason IS ? AND request = ?`,
        )
        .run(DECIDED[conclusion], reference, from.operation, from.status, from.reason, from.request);
      if (changes === 0) leave(false);
      this.db
        .prepare(
          `INSERT INTO decisions (operation, conclusion, reference, looked, showed, decided_by)
           VALUES (?, ?, ?, ?, ?, ?)`,
        )
        .run(from.operation, conclusion, reference, looked, showed, by);
      return true;
    });
  }
}
