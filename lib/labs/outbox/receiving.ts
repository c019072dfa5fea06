/** What the receiver and the external tool do with one delivery: their own commits, their own rules. */
import { boundary } from '../../boundary/boundary.ts';
import { canonicalJson, digest } from '../../core/canonical.ts';
import { DrillError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Db } from '../../sqlite/open.ts';
import { type ReceiptRow, receiptFault, type TicketRow } from './receipt.ts';
import { decide, openStore } from './stores.ts';
import { MODES, type Mode, nameFault, parse, payloadFault, type Response, responseFor } from './terms.ts';

export interface Delivery {
  caller: string;
  key: string;
  mode: Mode;
  payload: JsonObject;
  now: number;
  /** The sender's attempt; 0 for a delivery past the sender. */
  attempt: number;
}

export type Received =
  | { kind: 'new' | 'known'; response: Response }
  /** The same key with another payload; nothing was changed. */
  | { kind: 'conflict'; message: string }
  /** Receipt and ticket contradict each other; nothing was changed. */
  | { kind: 'corrupt'; message: string };

/**
 * Checks a delivery against the contract.
 *
 * @throws DrillError `malformed` naming the first thing that is wrong
 */
export function checkDelivery(value: {
  caller: unknown;
  key: unknown;
  mode: unknown;
  payload: unknown;
}): void {
  const faults = [
    ['caller', nameFault(value.caller)],
    ['key', nameFault(value.key)],
    ['mode', MODES.includes(value.mode as Mode) ? null : `must be one of ${MODES.join(', ')}`],
    ['payload', payloadFault(value.payload)],
  ] as const;
  for (const [name, fault] of faults) if (fault) throw new DrillError('malformed', `The ${name} ${fault}.`);
}

function lookUp(db: Db, delivery: Delivery, without: ReadonlySet<string>): Received | null {
  const receipt = db
    .prepare('SELECT * FROM receipts WHERE caller = ? AND operation_key = ?')
    .get(delivery.caller, delivery.key) as ReceiptRow | undefined;
  if (!receipt) return null;
  const ticket = db.prepare('SELECT * FROM tickets WHERE ticket_id = ?').get(receipt.ticket_id) as
    | TicketRow
    | undefined;
  const fault = receiptFault(receipt, ticket);
  if (fault) return { kind: 'corrupt', message: `The receipt of this key cannot be trusted: ${fault}.` };
  if (receipt.payload_hash !== digest(delivery.payload)) {
    return { kind: 'conflict', message: 'This key is known with another payload.' };
  }
  if (receipt.attempt === 0 && delivery.attempt > 0 && !without.has('receipt-ownership')) {
    return { kind: 'conflict', message: 'The ticket of this key was made past the sender.' };
  }
  return { kind: 'known', response: parse(receipt.response) as unknown as Response };
}

function insertTicket(db: Db, delivery: Delivery): Response {
  const { caller, key, mode, payload, now } = delivery;
  const added = db
    .prepare('INSERT INTO tickets (caller, operation_key, payload) VALUES (?, ?, ?)')
    .run(caller, key, canonicalJson(payload));
  const response = responseFor(caller, key, payload, Number(added.lastInsertRowid));
  db.prepare('INSERT INTO events (operation_key, caller, event, ticket_id, at) VALUES (?, ?, ?, ?, ?)').run(
    key,
    caller,
    mode === 'idempotent' ? 'ticket-and-receipt' : 'ticket',
    response.ticket_id,
    now,
  );
  observe(db, response, delivery);
  return response;
}

function observe(db: Db, response: Response, { mode, attempt }: Delivery): void {
  db.prepare(
    `INSERT INTO ground_truth (ticket_id, caller, operation_key, mode, payload_hash, attempt)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(response.ticket_id, response.caller, response.operation_key, mode, response.payload_hash, attempt);
}

/** @param replace only a receiver that does not look up has an older receipt in its way */
function insertReceipt(db: Db, response: Response, attempt: number, replace: boolean): void {
  db.prepare(`INSERT ${replace ? 'OR REPLACE ' : ''}INTO receipts VALUES (?, ?, ?, ?, ?, ?)`).run(
    response.caller,
    response.operation_key,
    response.payload_hash,
    response.ticket_id,
    canonicalJson(response),
    attempt,
  );
}

function receiveWithReceipt(db: Db, delivery: Delivery, without: ReadonlySet<string>): Received {
  const dedupe = !without.has('receiver-dedupe');
  const together = !without.has('dedupe-in-the-same-commit');
  // The unique key would still catch what this receiver is to be shown without.
  if (!together) db.exec('DROP INDEX IF EXISTS receipts_key');
  const early = dedupe && !together ? lookUp(db, delivery, without) : null;
  boundary('before-receive');
  if (early) return early;
  const names = { before: 'before-receiver-commit', after: 'after-receiver-commit' };
  return decide<Received>(db, 'receiver', 'ticket-and-receipt', names, () => {
    const earlier = dedupe && together ? lookUp(db, delivery, without) : null;
    if (earlier) return { wrote: false, value: earlier };
    const response = insertTicket(db, delivery);
    insertReceipt(db, response, delivery.attempt, !dedupe);
    return { wrote: true, value: { kind: 'new', response } };
  });
}

function receiveWithoutReceipt(db: Db, delivery: Delivery): Received {
  boundary('before-receive');
  const names = { before: 'before-receiver-commit', after: 'after-receiver-commit' };
  return decide<Received>(db, 'receiver', 'ticket', names, () => ({
    wrote: true,
    value: { kind: 'new', response: insertTicket(db, delivery) },
  }));
}

/** The tool has no operation key: the key goes into the ground truth's record and into the answer, never into the call. */
function callTool(dir: string, delivery: Delivery): Received {
  const db = openStore(dir, 'external');
  boundary('before-external-effect');
  return decide<Received>(db, 'external', 'external-ticket', { after: 'after-external-effect' }, () => {
    const added = db.prepare('INSERT INTO tickets (payload) VALUES (?)').run(canonicalJson(delivery.payload));
    const response = responseFor(
      delivery.caller,
      delivery.key,
      delivery.payload,
      Number(added.lastInsertRowid),
    );
    db.prepare(`INSERT INTO events (event, ticket_id, at) VALUES ('ticket', ?, ?)`).run(
      response.ticket_id,
      delivery.now,
    );
    observe(db, response, delivery);
    return { wrote: true, value: { kind: 'new', response } };
  });
}

/**
 * Removes tickets that no record of the sender names, as a collector of orphans does. What it cannot see in the record
 * may have been made and not yet recorded, so it spares every intent that the sender knows.
 *
 * @param names whether the sender's record names a ticket, or knows its intent
 * @returns the numbers of the removed tickets
 */
export function removeOrphans(
  dir: string,
  names: (caller: string, key: string, ticket: number) => boolean,
  now: number,
): number[] {
  const db = openStore(dir, 'receiver');
  return decide<number[]>(db, 'receiver', 'sweep', {}, () => {
    const all = db.prepare('SELECT * FROM tickets ORDER BY ticket_id').all() as TicketRow[];
    const orphans = all.filter((row) => !names(row.caller, row.operation_key, row.ticket_id));
    for (const { ticket_id: id, caller, operation_key: key } of orphans) {
      db.prepare('DELETE FROM receipts WHERE ticket_id = ?').run(id);
      db.prepare('DELETE FROM tickets WHERE ticket_id = ?').run(id);
      db.prepare(
        `INSERT INTO events (operation_key, caller, event, ticket_id, at) VALUES (?, ?, 'removed', ?, ?)`,
      ).run(key, caller, id, now);
      db.prepare(
        `INSERT INTO ground_truth (ticket_id, removed, caller, operation_key, mode, payload_hash, attempt)
         VALUES (?, 1, ?, ?, '', '', 0)`,
      ).run(id, caller, key);
    }
    return { wrote: orphans.length > 0, value: orphans.map((row) => row.ticket_id) };
  });
}

/**
 * Carries out one delivery (README.md, "Rules"): with a receipt, a known key is answered from the receipt after
 * checking it against its ticket; otherwise ticket, receipt and response are one commit.
 *
 * @throws DrillError `malformed`, `no-database`, `not-a-database`, `busy`
 */
export function receive(dir: string, delivery: Delivery, without: ReadonlySet<string>): Received {
  checkDelivery(delivery);
  if (delivery.mode === 'external') return callTool(dir, delivery);
  const db = openStore(dir, 'receiver');
  return delivery.mode === 'idempotent'
    ? receiveWithReceipt(db, delivery, without)
    : receiveWithoutReceipt(db, delivery);
}
