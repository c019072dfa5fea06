/** The client's own database: operations in flight, the uncertain set, requests, and every message in order. */

import { join } from 'node:path';
import { readFileSync } from '../../core/fs.ts';
import type { JsonObject } from '../../core/json.ts';
import { createWhole } from '../../sqlite/create-whole.ts';
import { commit, commitOrLeave, type Db, openDatabase } from '../../sqlite/open.ts';
import { Decisions } from './decisions.ts';
import { ownerHere, ownerLives, ownerOf } from './owner.ts';
import { CLIENT, keeps, type TicketParameters } from './words.ts';

export type OperationStatus = 'in-flight' | 'uncertain' | 'completed' | 'reconciled' | 'not-found' | 'void';

export interface Operation extends TicketParameters {
  operation: string;
  status: OperationStatus;
  reason: string | null;
  epoch: number;
  request: string;
  ticket: number | null;
}

/** True while a call of it is on the wire, as far as the record knows: for the first time, or sent again. */
export const isUnderWay = ({ status, reason }: Pick<Operation, 'status' | 'reason'>): boolean =>
  status === 'in-flight' || reason === 'sent-again';
const UNDER_WAY = "(status = 'in-flight' OR reason = 'sent-again')";

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
  /** The ticket that a reply's content names. */
  ticket?: number;
  note: string;
  pending: string[];
}

/** How one call ended. */
export interface CallEnd {
  operation: string;
  request: string;
  requestStatus: string;
  status: 'completed' | 'uncertain';
  reason: string | null;
  ticket: number | null;
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
  private readonly file: string;
  /** Off: what is in flight lives in this process alone, as the published experiment has it. */
  private readonly durable: boolean;
  private readonly memory = new Map<string, Operation>();
  readonly decisions: Decisions;

  /** @throws DrillError `no-database` before init */
  constructor(dir: string, without: ReadonlySet<string>) {
    this.file = join(dir, CLIENT.file);
    this.db = openDatabase(this.file, CLIENT.tables);
    this.durable = keeps(without, 'uncertain-survives');
    this.decisions = new Decisions(this.db, this.file);
  }

  close(): void {
    this.db.close();
  }

  private commit<T>(name: string, before: string, after: string, work: () => T): T {
    return commit(this.db, CLIENT.id, name, { before, after }, work);
  }

  /** The same where the work may find that there is nothing to write. */
  private commitOrLeave<T>(
    name: string,
    before: string,
    after: string,
    work: (leave: (answer: T) => never) => T,
  ): T {
    return commitOrLeave<T>(this.db, CLIENT.id, name, { before, after }, work);
  }

  /** Connections of clients that have ended, as JSON. What a living client has on the wire is its own. */
  private lostEpochs(): string {
    const rows = this.db.prepare('SELECT epoch, owner FROM connections').all() as {
      epoch: number;
      owner: string;
    }[];
    return JSON.stringify(
      rows.filter(({ owner }) => !ownerLives(owner, this.file)).map(({ epoch }) => epoch),
    );
  }

  /** Moves into the uncertain set what clients that have ended left under way. */
  recoverLost(): string[] {
    if (!this.operations().some(isUnderWay)) return [];
    const lost = this.lostEpochs();
    const among = 'epoch IN (SELECT value FROM json_each(?))';
    return this.commitOrLeave<string[]>('recovery', 'before-recovery-commit', 'after-recovery', (leave) => {
      const left = this.db
        .prepare(
          `UPDATE operations SET status = 'uncertain', reason = 'client-lost'
           WHERE ${among} AND ${UNDER_WAY} RETURNING operation`,
        )
        .pluck()
        .all(lost) as string[];
      if (left.length === 0) leave([]);
      this.db.prepare(`UPDATE requests SET status = 'lost' WHERE ${among} AND status = 'pending'`).run(lost);
      this.db
        .prepare(
          `UPDATE connections SET state = 'lost' WHERE ${among} AND state NOT IN ('disconnected', 'lost')`,
        )
        .run(lost);
      return left.sort();
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
        .prepare(
          "INSERT INTO connections (epoch, owner, state, catalogue) VALUES (?, ?, 'connecting', 'none')",
        )
        .run(last + 1, ownerHere(this.file));
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
        `INSERT INTO messages (epoch, direction, transport, method, id, operation, about, ticket, note, pending)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        epoch,
        m.direction,
        m.transport,
        m.method ?? null,
        m.id ?? null,
        m.operation ?? null,
        m.about ?? null,
        m.ticket ?? null,
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
      /** Pid of the server at the other end. */
      server?: number;
    } = {},
  ): void {
    this.commit('message', 'before-message-commit', 'after-message', () => {
      if (change.begins) this.addRequest(epoch, change.begins);
      if (change.ends) this.endRequest(change.ends.request, change.ends.status);
      this.setConnection(epoch, change);
      if (change.server) {
        const owner = ownerOf(change.server, this.file);
        this.db.prepare('UPDATE connections SET server = ? WHERE epoch = ?').run(owner, epoch);
      }
      this.log(epoch, message);
    });
  }

  /**
   * The operation is under way, committed before its call is sent. A retry keeps the row, the key and the parameters,
   * and is conditional on reconciliation having found no ticket; one that was not found *yet* stays uncertain.
   *
   * @returns false, with nothing written, where the record has moved on meanwhile
   */
  intent(
    epoch: number,
    call: TicketParameters & { operation: string; request: string },
    message: Message,
  ): boolean {
    const row: Operation = { ...call, status: 'in-flight', reason: null, epoch, ticket: null };
    const begun = this.commitOrLeave<boolean>('intent', 'before-intent-commit', 'after-intent', (leave) => {
      if (this.durable && !this.begin(row)) leave(false);
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
           status = iif(operations.status = 'not-found', 'in-flight', operations.status),
           reason = iif(operations.status = 'not-found', NULL, 'sent-again'),
           epoch = excluded.epoch, request = excluded.request
         WHERE (operations.status = 'not-found'
             OR (operations.status = 'uncertain' AND operations.reason = 'no-ticket-yet'))
           AND operations.tool = excluded.tool
           AND operations.source = excluded.source AND operations.title = excluded.title`,
      )
      .run(row.operation, row.tool, row.source, row.title, row.epoch, row.request);
    return changes === 1;
  }

  /**
   * How a call ended, with the message that ended it. Conditional on the call being under way: what has become
   * uncertain leaves that set through `reconcile` alone, so that a good reply to a call sent again is `answered`.
   *
   * @returns the word under which the message stands in the log; `ignored_response` for a reply that came too late
   */
  outcome(epoch: number, end: CallEnd, message: Message): string {
    return this.commit('outcome', 'before-outcome-commit', 'after-outcome', () => {
      const taken = this.endCall(end);
      const good = end.status === 'completed';
      let { note } = message;
      if (taken === 'refused' && message.direction === 'in') note = 'ignored_response';
      if (taken === 'uncertain' && good) note = 'answered';
      if (taken !== 'refused') this.endRequest(end.request, end.requestStatus);
      this.log(epoch, { ...message, note });
      return note;
    });
  }

  /** Where the end of the call was recorded: against one in flight, one uncertain, or not at all. */
  private endCall(end: CallEnd): 'in-flight' | 'uncertain' | 'refused' {
    const kept = this.memory.get(end.operation);
    if (kept && kept.request === end.request) {
      Object.assign(kept, { status: end.status, reason: end.reason, ticket: end.ticket });
      return 'in-flight';
    }
    const { changes } = this.db
      .prepare(
        `UPDATE operations SET status = ?, reason = ?, ticket = ?
         WHERE operation = ? AND request = ? AND status = 'in-flight'`,
      )
      .run(end.status, end.reason, end.ticket, end.operation, end.request);
    if (changes === 1) return 'in-flight';
    const again = this.db
      .prepare(
        `UPDATE operations SET reason = ? WHERE operation = ? AND request = ? AND reason = 'sent-again'`,
      )
      .run(end.status === 'completed' ? 'answered' : end.reason, end.operation, end.request);
    return again.changes === 1 ? 'uncertain' : 'refused';
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
           WHERE epoch = ? AND ${UNDER_WAY}`,
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

  /**
   * True where the end of every server that was asked for it was seen, so that none of them can still commit: a call
   * that was sent again has been asked of more than one.
   */
  serversEnded(operation: string): boolean {
    const open = this.db
      .prepare(
        `SELECT count(*) FROM requests JOIN connections USING (epoch)
         WHERE method = 'tools/call' AND name = ? AND server_code IS NULL AND server_signal IS NULL`,
      )
      .pluck()
      .get(operation);
    return open === 0;
  }

  /** Identities of the requests by which an operation was asked for, oldest first. */
  requestsOf(operation: string): string[] {
    return this.db
      .prepare("SELECT request FROM requests WHERE method = 'tools/call' AND name = ? ORDER BY rowid")
      .pluck()
      .all(operation) as string[];
  }

  /**
   * What reconciliation concluded, conditional on the record being as it was when it was looked at. The same
   * conclusion once more writes nothing.
   *
   * @returns false where the record has moved on meanwhile
   */
  conclude(from: Operation, to: { status: OperationStatus; reason: string; ticket: number | null }): boolean {
    const names = ['before-reconcile-commit', 'after-reconcile'] as const;
    return this.commitOrLeave<boolean>('reconciliation', ...names, (leave) => {
      const now = this.operation(from.operation);
      const same = (['status', 'reason', 'request'] as const).every((name) => now?.[name] === from[name]);
      if (!same) leave(false);
      if (to.status === from.status && to.reason === from.reason) leave(true);
      this.db
        .prepare('UPDATE operations SET status = ?, reason = ?, ticket = ? WHERE operation = ?')
        .run(to.status, to.reason, to.ticket, from.operation);
      return true;
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
