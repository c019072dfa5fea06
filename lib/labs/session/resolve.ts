/** `resolve`: a person's reviewed decision about an operation that nobody could decide (README.md, "Decisions"). */
import type { JsonObject } from '../../core/json.ts';
import type { Outcome } from '../child.ts';
import type { Decision } from './decisions.ts';
import { isUnderWay, Ledger, type Operation } from './ledger.ts';
import { lookUpTicket, type Ticket } from './service.ts';
import type { Conclusion } from './words.ts';

function refusal(operation: string, status: string, message: string): Outcome {
  const known = { effect: 'unknown', decision: 'investigate', retryable: false } as const;
  return { exit: 3, reply: { status, operation, message, definite: true, ...known } };
}

/** Evidence that a decision is compared with. */
export interface Facts {
  operation: Operation;
  /** The ticket under the operation's key. */
  ticket: Ticket | undefined;
  /** A ticket that some reply in the log names for it. */
  named: number | null;
  /** A client or a server of an earlier attempt lives. */
  lives: boolean;
}

/** Made by a request: of this client, or of one whose record is lost. Another client's ticket has none. */
const byRequest = (ticket: Ticket | undefined): boolean => (ticket?.request ?? null) !== null;

function whyNotConfirmed({ operation, ticket }: Facts, reference: number | null): string | null {
  if (reference === null) return 'A confirmation names its ticket, by its number.';
  if (ticket?.id !== reference) return `The service has no ticket ${reference} under ${operation.operation}.`;
  return byRequest(ticket) ? null : `Ticket ${reference} was made by another client.`;
}

function whyNotAbsent({ operation, ticket, named, lives }: Facts): string | null {
  if (lives) return 'A client or a server of an earlier attempt lives and may still act.';
  if (ticket && byRequest(ticket)) return `Ticket ${ticket.id} lies under ${operation.operation}.`;
  return named === null || named === ticket?.id ? null : `A reply in the log names ticket ${named}.`;
}

function whyNotVoid(facts: Facts): string | null {
  if (facts.lives) return 'A client or a server of an earlier attempt lives and may still act.';
  const { ticket } = facts;
  return ticket && byRequest(ticket) ? `Ticket ${ticket.id} was made by a request: confirm it.` : null;
}

/**
 * Compares a decision with the evidence. Pure.
 *
 * @returns why the evidence contradicts it, in a sentence; null where nothing does
 */
export function contradiction(facts: Facts, conclusion: Conclusion, reference: number | null): string | null {
  if (conclusion === 'confirmed') return whyNotConfirmed(facts, reference);
  return conclusion === 'absent' ? whyNotAbsent(facts) : whyNotVoid(facts);
}

const CONCLUDED = {
  confirmed: { effect: 'confirmed', decision: 'none', retryable: false },
  absent: { effect: 'absent', decision: 'retry-same-key', retryable: true },
  void: { effect: 'absent', decision: 'none', retryable: false },
} as const;

/**
 * Records a decision as a row of its own, in a commit of its own. After `confirmed` the operation is reconciled, after
 * `absent` it may be called again under its key, after `void` it is never sent again.
 *
 * @returns the conclusion; a refusal, definite, where there is nothing to decide or the evidence contradicts it
 */
export function resolve(dir: string, without: ReadonlySet<string>, id: string, decision: Decision): Outcome {
  const ledger = new Ledger(dir, without);
  try {
    const operation = ledger.operation(id);
    if (!operation) return refusal(id, 'unknown-operation', `The client has no record of ${id}.`);
    if (operation.status !== 'uncertain' && !isUnderWay(operation)) {
      const message = `${id} is ${operation.status}; there is nothing to decide, and nothing was recorded.`;
      return refusal(id, 'nothing-to-resolve', message);
    }
    const lives = ledger.decisions.attemptLives(id);
    if (isUnderWay(operation)) {
      const message = lives
        ? `${id} is under way: a client or a server of it lives and may still act.`
        : `${id} was left under way by a client that has ended. Run reconcile first.`;
      return refusal(id, 'under-way', message);
    }
    const facts = {
      operation,
      ticket: lookUpTicket(dir, id),
      named: ledger.decisions.ticketInLog(id),
      lives,
    };
    const { conclusion, reference } = decision;
    const why = contradiction(facts, conclusion, reference);
    if (why) return refusal(id, 'contradicted', `The evidence contradicts "${conclusion}". ${why}`);
    const kept = { ...decision, reference: conclusion === 'confirmed' ? reference : null };
    if (!ledger.decisions.decide(operation, kept))
      return refusal(id, 'superseded', `${id} has moved on; look again.`);
    const reply: JsonObject = { status: 'resolved', operation: id, conclusion, ticket: kept.reference };
    return { exit: 0, reply: { ...reply, ...CONCLUDED[conclusion] } };
  } finally {
    ledger.close();
  }
}
