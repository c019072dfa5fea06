/** The two ways out of doubt: the operation's own proof (`recover`), and a person's reviewed decision (`resolve`). */
import { canonicalJson } from '../../core/canonical.ts';
import { EXIT } from '../../core/errors.ts';
import { existsSync } from '../../core/fs.ts';
import type { Context, Outcome } from '../child.ts';
import { type ReceiptRow, receiptFault, type TicketRow } from './receipt.ts';
import { byState, neverEnqueued, refused } from './replies.ts';
import { conclude, event, holderLives, type OutboxRow, outboxRow } from './sender.ts';
import { type Conclusion, inDoubt, meaning, proofOf, ticketOf } from './standing.ts';
import { decide, fileOf, openStore, readStore } from './stores.ts';
import { responseFor } from './terms.ts';

/** What the receiver has of one intent: its tickets, and the response of a receipt that proves one of ours. */
interface Found {
  tickets: number[];
  response: string | null;
}

/** Null where the receiver cannot be read: that proves nothing. */
function atReceiver(dir: string, row: OutboxRow): Found | null {
  if (row.mode === 'external' || !existsSync(fileOf(dir, 'receiver'))) return null;
  try {
    const db = readStore(dir, 'receiver');
    const own = [row.caller, row.operation_key];
    const tickets = db
      .prepare('SELECT * FROM tickets WHERE caller = ? AND operation_key = ?')
      .all(...own) as TicketRow[];
    const receipt = db.prepare('SELECT * FROM receipts WHERE caller = ? AND operation_key = ?').get(...own) as
      | ReceiptRow
      | undefined;
    db.close();
    const ticket = tickets.find(({ ticket_id }) => ticket_id === receipt?.ticket_id);
    const proves =
      receipt !== undefined &&
      receiptFault(receipt, ticket) === null &&
      receipt.payload_hash === row.payload_hash &&
      receipt.attempt >= 1 &&
      receipt.attempt <= row.attempts;
    return { tickets: tickets.map((t) => t.ticket_id), response: proves ? receipt.response : null };
  } catch {
    return null;
  }
}

/**
 * Reads the operation's own proof and sends nothing: what came late, and the receiver's receipt.
 *
 * @returns the row as it then stands
 * @throws DrillError as `dispatch`
 */
export function recover(context: Context): Outcome {
  const key = context.args.key as string;
  const db = openStore(context.dir, 'sender');
  const row = outboxRow(db, key);
  if (!row) return neverEnqueued(key);
  const open =
    (inDoubt(row) || row.state === 'inflight') && (row.decision?.conclusion ?? 'absent') === 'absent';
  if (!open || context.without.has('proof-ends-doubt')) return byState('as_it_was', row, { definite: true });
  const late = proofOf(row);
  const payload = JSON.parse(row.payload);
  const response =
    late === null
      ? atReceiver(context.dir, row)?.response
      : canonicalJson({ ...responseFor(row.caller, key, payload, late) });
  if (!response) return byState('no_proof', row, { definite: true });
  const job = { ...row, lease: row.lease ?? 0 };
  const detail = `ticket ${ticketOf(response)}, from ${late === null ? 'its receipt' : 'a late response'}`;
  const end = {
    commit: 'recover',
    state: 'done',
    from: row.state,
    response,
    detail,
    word: 'recovered',
  } as const;
  const { saved, row: now } = conclude(db, job, end, context.now, new Set());
  return byState(saved ? 'recovered' : 'as_it_was', now, { definite: !saved });
}

interface Decision {
  conclusion: Conclusion;
  reference: number | null;
  looked: string;
  showed: string;
  by: string;
}

/** Why this decision cannot be recorded now, or null. */
function contradiction(context: Context, row: OutboxRow, { conclusion, reference }: Decision): string | null {
  const running = row.state === 'inflight' && context.now < (row.lease ?? 0);
  if (running) return `Attempt ${row.attempts} holds the row until ${row.lease}; it may still act.`;
  if (row.attempts === 0) return 'This operation was never sent; whatever is there is not its own.';
  if (meaning(row).decision === 'none') return 'The record is not in doubt; there is nothing to decide.';
  const found = atReceiver(context.dir, row);
  const proven = found?.response ? ticketOf(found.response) : proofOf(row);
  if (conclusion === 'absent') {
    if (holderLives(row)) return `The process of attempt ${row.attempts} still lives; it may still act.`;
    if (proven !== null) return `Ticket ${proven} of this operation is proven.`;
    if (row.late.length > 0) return `Late responses of this operation name ${row.late.join(' and ')}.`;
    if (found?.tickets.length)
      return `The receiver has ticket ${found.tickets.join(' and ')} of this operation.`;
    return ticketOf(row.response) === null ? null : 'The record holds a response.';
  }
  if (conclusion !== 'confirmed') return null;
  if (reference === null) return 'A confirmed effect needs its reference: the number of the ticket.';
  if (found && !found.tickets.includes(reference))
    return `The receiver has no ticket ${reference} of this operation.`;
  if (found && found.tickets.length > 1)
    return `The receiver has ${found.tickets.length} tickets of this operation.`;
  const others = [proven, ...row.late].filter((ticket) => ticket !== null && ticket !== reference);
  return others.length > 0 ? `The evidence names ticket ${others[0]}.` : null;
}

/**
 * Records what a person decided about an operation in doubt, as a row of its own; the outbox row stays as it is.
 *
 * @returns exit 3 where the decision contradicts evidence that can be read, or an attempt may still act
 * @throws DrillError as `dispatch`
 */
export function resolve(context: Context): Outcome {
  const { operation, conclusion, reference = null, looked, showed, by } = context.args;
  const decision = { conclusion, reference, looked, showed, by } as unknown as Decision;
  const key = operation as string;
  const db = openStore(context.dir, 'sender');
  if (!outboxRow(db, key)) return neverEnqueued(key);
  return decide<Outcome>(db, 'sender', 'resolve', { after: 'after-decision' }, () => {
    const row = outboxRow(db, key) as OutboxRow;
    const more = { operation: key, conclusion: decision.conclusion };
    const { conclusion: known, ticket } = row.decision ?? {};
    if (known === decision.conclusion && ticket === decision.reference) {
      return { wrote: false, value: { ...byState('already_resolved', row, more), exit: EXIT.done } };
    }
    const why = context.without.has('reviewed-decision') ? null : contradiction(context, row, decision);
    if (why) return { wrote: false, value: refused(why) };
    db.prepare(
      `INSERT INTO decisions (operation_key, attempt, conclusion, ticket_id, looked, showed, decided_by, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      key,
      row.attempts,
      decision.conclusion,
      decision.reference,
      decision.looked,
      decision.showed,
      decision.by,
      context.now,
    );
    event(db, key, 'resolved', context.now, row.attempts, `${decision.conclusion}, by ${decision.by}`);
    const after = outboxRow(db, key) as OutboxRow;
    return { wrote: true, value: { ...byState('resolved', after, more), exit: EXIT.done } };
  });
}
