/** The client's own database: operations in flight, the uncertain set, requests, and every message in order. */

import { join } from 'node:path';
import { readFileSync } from '../../core/fs.ts';
import type { JsonObject } from '../../core/json.ts';
import { createWhole } from '../../sqlite/create-whole.ts';
import { commit, type Db, openDatabase } from '../../sqlite/open.ts';
import { CLIENT, keeps, type TicketParameters } from './words.ts';

export type OperationStatus = 'in-flight' | 'uncertain' | 'completed' | 'reconciled' | 'not-found';

export interface Operation extends TicketParameters {
  operation: string;
  tool: string;
  status: OperationStatus;
  reason: string | null;
  epoch: number;
  request: string;
  ticket: number | null;
}

export interface Message {
  direction: 'out' | 'in';
  /** `stdio`: it went over the real connection. `recorded`: bytes delivered at message level. */
  transport: 'stdio' | 'recorded';
  method?: string;
  /** Request identity as on the wire; null for a notification. */
  id?: string;
  operation?: string;
  /** The operation key that a reply's content speaks of. */
  about?: string;
  note: string;
  pending: string[];
}

export interface NewRequest {
  request: string;
  method: string;
  name: string;
}

/** @throws DrillError `would-overwrite` where the file is there */
export function createLedger(dir: string): void {
  createWhole(
    join(dir, CLIENT.file),
    readFileSync(join(import.meta.dirname, 'schema', 'client.sql'), 'utf8'),
  );
}

const OPERATION_COLUMNS = 'operation, tool, source, title, status, reason, epoch, request, ticket';

export class Ledger {
  private readonly db: Db;
  /** Off: what is in flight lives in this process alone, as the published experiment has it. */
  private readonly durable: boolean;
  private readonly memory = new Map<string, Operation>();

  /** @throws DrillError `no-database` before init */
  constructor(dir: string, without: ReadonlySet<string>) {
    this.db = openDatabase(join(dir, CLIENT.file), CLIENT.tables);
    this.durable = keeps(without, 'uncertain-survives');
  }

  close(): void {
    this.db.close();
  }

  private commit<T>(name: string, before: string, after: string, work: () => T): T {
    return commit(this.db, CLIENT.id, name, { before, after }, work);
  }

  /** Operations that no living call of this process accounts for: an earlier client died with them in flight. */
  recoverInFlight(): string[] {
    const left = this.operations().filter((op) => op.status === 'in-flight');
    if (left.length === 0) return [];
    return this.commit('recovery', 'before-recovery-commit', 'after-recovery', () => {
      this.db
        .prepare(
          "UPDATE operations SET status = 'uncertain', reason = 'client-lost' WHERE status = 'in-flight'",
        )
        .run();
      this.db.prepare("UPDATE requests SET status = 'lost' WHERE status = 'pending'").run();
      this.db
        .prepare("UPDATE connections SET state = 'lost' WHERE state NOT IN ('disconnected', 'lost')")
        .run();
      return left.map((op) => op.operation);
    });
  }

  operations(): Operation[] {
    const rows = this.db
      .prepare(`SELECT ${OPERATION_COLUMNS} FROM operations ORDER BY operation`)
      .all() as Operation[];
    return [...rows, ...this.memory.values()];
  }

  operation(id: string): Operation | undefined {
    return this.operations().find((op) => op.operation === id);
  }

  uncertain(): string[] {
    return this.operations()
      .filter((op) => op.status === 'uncertain')
      .map((op) => op.operation);
  }

  openConnection(): number {
    return this.commit('connection', 'before-connection-commit', 'after-connection', () => {
      const { last } = this.db.prepare('SELECT coalesce(max(epoch), 0) AS last FROM connections').get() as {
        last: number;
      };
      this.db
        .prepare("INSERT INTO connections (epoch, state, catalogue) VALUES (?, 'connecting', 'none')")
        .run(last + 1);
      return last + 1;
    });
  }

  private setConnection(epoch: number, set: { state?: string; catalogue?: string }): void {
    if (set.state) this.db.prepare('UPDATE connections SET state = ? WHERE epoch = ?').run(set.state, epoch);
    if (set.catalogue)
      this.db.prepare('UPDATE connections SET catalogue = ? WHERE epoch = ?').run(set.catalogue, epoch);
  }

  private addRequest(epoch: number, request: NewRequest): void {
    this.db
      .prepare("INSERT INTO requests (request, epoch, method, name, status) VALUES (?, ?, ?, ?, 'pending')")
      .run(request.request, epoch, request.method, request.name);
  }

  private endRequest(request: string, status: string): void {
    this.db.prepare('UPDATE requests SET status = ? WHERE request = ?').run(status, request);
  }

  private log(epoch: number, m: Message): void {
    this.db
      .prepare(
        `INSERT INTO messages (epoch, direction, transport, method, id, operation, about, note, pending)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        epoch,
        m.direction,
        m.transport,
        m.method ?? null,
        m.id ?? null,
        m.operation ?? null,
        m.about ?? null,
        m.note,
        JSON.stringify(m.pending),
      );
  }

  /** Any message that settles no call, with what it changes, in one commit. */
  message(
    epoch: number,
    message: Message,
    change: {
      begins?: NewRequest;
      ends?: { request: string; status: string };
      state?: string;
      catalogue?: string;
    } = {},
  ): void {
    this.commit('message', 'before-message-commit', 'after-message', () => {
      if (change.begins) this.addRequest(epoch, change.begins);
      if (change.ends) this.endRequest(change.ends.request, change.ends.status);
      this.setConnection(epoch, change);
      this.log(epoch, message);
    });
  }

  /**
   * The operation is in flight, committed before its call is sent. A retry keeps the row and the key, and is
   * conditional on reconciliation having found no ticket, and on the parameters being those of the record.
   *
   * @returns false, with nothing written, where the record has moved on meanwhile
   */
  intent(
    epoch: number,
    call: TicketParameters & { operation: string; tool: string; request: string },
    message: Message,
  ): boolean {
    const row: Operation = { ...call, status: 'in-flight', reason: null, epoch, ticket: null };
    const begun = this.commit('intent', 'before-intent-commit', 'after-intent', () => {
      if (this.durable && !this.begin(row)) return false;
      this.addRequest(epoch, { request: call.request, method: 'tools/call', name: call.operation });
      this.log(epoch, message);
      return true;
    });
    if (begun && !this.durable) this.memory.set(call.operation, row);
    return begun;
  }

  private begin(row: Operation): boolean {
    const { changes } = this.db
      .prepare(
        `INSERT INTO operations (${OPERATION_COLUMNS}) VALUES (?, ?, ?, ?, 'in-flight', NULL, ?, ?, NULL)
         ON CONFLICT (operation) DO UPDATE SET
           status = 'in-flight', reason = NULL, epoch = excluded.epoch, request = excluded.request
         WHERE operations.status = 'not-found'
           AND operations.source = excluded.source AND operations.title = excluded.title`,
      )
      .run(row.operation, row.tool, row.source, row.title, row.epoch, row.request);
    return changes === 1;
  }

  /**
   * How a call ended, with the message that ended it. Conditional on the call still being in flight: what has
   * become uncertain leaves that set through `reconcile` alone.
   */
  outcome(
    epoch: number,
    end: {
      operation: string;
      request: string;
      requestStatus: string;
      status: 'completed' | 'uncertain';
      reason: string | null;
      ticket: number | null;
    },
    message: Message,
  ): boolean {
    const kept = this.memory.get(end.operation);
    return this.commit('outcome', 'before-outcome-commit', 'after-outcome', () => {
      this.endRequest(end.request, end.requestStatus);
      this.log(epoch, message);
      if (kept && kept.request === end.request) {
        Object.assign(kept, { status: end.status, reason: end.reason, ticket: end.ticket });
        return true;
      }
      const { changes } = this.db
        .prepare(
          `UPDATE operations SET status = ?, reason = ?, ticket = ?
           WHERE operation = ? AND request = ? AND status = 'in-flight'`,
        )
        .run(end.status, end.reason, end.ticket, end.operation, end.request);
      return changes === 1;
    });
  }

  /** The connection is over: every call without a result is uncertain from here on. */
  disconnect(epoch: number, state: string): void {
    for (const op of this.memory.values()) {
      if (op.status === 'in-flight') Object.assign(op, { status: 'uncertain', reason: 'disconnected' });
    }
    this.commit('disconnection', 'before-disconnect-commit', 'after-disconnect', () => {
      this.setConnection(epoch, { state });
      this.db
        .prepare(
          `UPDATE operations SET status = 'uncertain', reason = 'disconnected'
           WHERE epoch = ? AND status = 'in-flight'`,
        )
        .run(epoch);
      this.db
        .prepare("UPDATE requests SET status = 'lost' WHERE epoch = ? AND status = 'pending'")
        .run(epoch);
    });
  }

  /** How the server ended and what it said: told by the operating system, not by the protocol. */
  serverEnd(epoch: number, end: { code: number | null; signal: string | null; log: string }): void {
    this.commit('server-end', 'before-server-end-commit', 'after-server-end', () => {
      this.db
        .prepare('UPDATE connections SET server_code = ?, server_signal = ?, server_log = ? WHERE epoch = ?')
        .run(end.code, end.signal, end.log, epoch);
    });
  }

  /** True where the end of that connection's server was seen, so that nothing of it can still commit. */
  serverEnded(epoch: number): boolean {
    const row = this.db
      .prepare('SELECT server_code, server_signal FROM connections WHERE epoch = ?')
      .get(epoch) as { server_code: number | null; server_signal: string | null } | undefined;
    return row !== undefined && (row.server_code !== null || row.server_signal !== null);
  }

  /** What reconciliation concluded, conditional on the operation still being uncertain. */
  conclude(
    operation: string,
    to: { status: OperationStatus; reason: string; ticket: number | null },
  ): boolean {
    return this.commit('reconciliation', 'before-reconcile-commit', 'after-reconcile', () => {
      const { changes } = this.db
        .prepare(
          `UPDATE operations SET status = ?, reason = ?, ticket = ?
           WHERE operation = ? AND status = 'uncertain'`,
        )
        .run(to.status, to.reason, to.ticket, operation);
      return changes === 1;
    });
  }

  connection(epoch: number): JsonObject {
    return this.db
      .prepare(
        'SELECT epoch, state, server_code AS code, server_signal AS signal FROM connections WHERE epoch = ?',
      )
      .get(epoch) as JsonObject;
  }
}
