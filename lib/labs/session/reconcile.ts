/** `reconcile`: the one way out of the uncertain set (README.md, "Reconciliation"). */
import type { JsonObject } from '../../core/json.ts';
import type { Outcome } from '../child.ts';
import { isUnderWay, Ledger, type Operation } from './ledger.ts';
import { lookUpTicket, sameParameters, type Ticket } from './service.ts';
import { FINAL, isAmong, keeps } from './words.ts';

interface Conclusion {
  status: 'reconciled' | 'uncertain' | 'not-found';
  reason: string;
  ticket: number | null;
  effect: 'confirmed' | 'absent' | 'unknown';
  decision: 'reconcile' | 'investigate' | 'retry-same-key';
  retryable: boolean;
}

/**
 * Decides about one uncertain operation. Pure.
 *
 * @param facts `requests`: those by which this client asked for it; a ticket of no request of ours is another client's
 *   effect, however equal. `compares`, `ours`: false with that rule off.
 *   `serversEnded`: whether every server that was asked was seen to end: if not, one may still commit, and "not found" is
 *   no "absent", so that the entry stays open; the same key may be used again either way, because the service makes
 *   one ticket a key
 */
export function conclude(
  operation: Operation,
  ticket: Ticket | undefined,
  facts: { serversEnded: boolean; requests: readonly string[]; compares: boolean; ours: boolean },
): Conclusion {
  const { serversEnded, requests, compares, ours } = facts;
  if (!ticket) {
    return {
      status: serversEnded ? 'not-found' : 'uncertain',
      reason: serversEnded ? 'no-ticket' : 'no-ticket-yet',
      ticket: null,
      effect: serversEnded ? 'absent' : 'unknown',
      decision: 'retry-same-key',
      retryable: true,
    };
  }
  const differs = compares && !sameParameters(operation, ticket);
  if (differs || (ours && !isAmong(ticket.request, requests))) {
    return {
      status: 'uncertain',
      reason: differs ? 'ticket-differs' : 'ticket-of-another',
      ticket: null,
      effect: 'unknown',
      decision: 'investigate',
      retryable: false,
    };
  }
  return {
    status: 'reconciled',
    reason: 'ticket-equal',
    ticket: ticket.id,
    effect: 'confirmed',
    decision: 'reconcile',
    retryable: false,
  };
}

const EXITS = { reconciled: 0, 'not-found': 4, uncertain: 2 };

function recorded(operation: Operation): Outcome {
  const { operation: id, status, ticket } = operation;
  if (status === 'void') {
    const reply = { status, operation: id, effect: 'absent', decision: 'none', retryable: false };
    return { exit: 0, reply };
  }
  const reply = { status, operation: id, ticket, effect: 'confirmed', decision: 'none', retryable: false };
  return { exit: 0, reply };
}

/** Another executor is at it, or was faster: nothing was concluded here. */
function moved(id: string, status: string): Outcome {
  const reply = { status, operation: id, effect: 'unknown', decision: 'reconcile', retryable: true };
  return { exit: 2, reply: { ...reply, definite: true } };
}

/**
 * Looks the ticket up, compares target and parameters, and only then closes the entry; finding a ticket alone does
 * not close it. Never creates or changes a ticket.
 */
export function reconcile(dir: string, without: ReadonlySet<string>, id: string): Outcome {
  const ledger = new Ledger(dir, without);
  try {
    ledger.recoverLost();
    const operation = ledger.operation(id);
    if (!operation) {
      // An effect that no record holds is somebody's to look into; without one there is nothing to refuse but a name.
      const ticket = lookUpTicket(dir, id);
      const beside = ticket ? ` The service has ticket ${ticket.id} under that key.` : '';
      const message = `The client has no record of ${id}.${beside}`;
      const reply = { status: 'unknown-operation', operation: id, message, definite: true };
      return {
        exit: ticket ? 2 : 3,
        reply: { ...reply, effect: 'unknown', decision: 'investigate', retryable: false },
      };
    }
    // A client that lives has it on the wire: its call has not ended, and nothing is known of it yet.
    if (isUnderWay(operation)) return moved(id, operation.status);
    if (FINAL.includes(operation.status)) return recorded(operation);
    // One that was not found is looked up again: somebody may have made the ticket since.
    const ticket = lookUpTicket(dir, id);
    const found = conclude(operation, ticket, {
      serversEnded: ledger.serversEnded(id),
      requests: ledger.requestsOf(id),
      compares: keeps(without, 'reconcile-compares'),
      ours: keeps(without, 'own-effect') && keeps(without, 'reconcile-compares'),
    });
    const { effect, decision, retryable, ...to } = found;
    if (!ledger.conclude(operation, to)) return moved(id, 'superseded');
    const reply: JsonObject = { operation: id, ...to, effect, decision, retryable };
    return { exit: EXITS[found.status], reply };
  } finally {
    ledger.close();
  }
}
