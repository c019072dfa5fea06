/** `resolve`: a person's reviewed decision, recorded beside what is known and refused where evidence contradicts it. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Outcome } from '../child.ts';
import { answer, refusal } from './answer.ts';
import { type Move, move, type RunRow, readRun, Superseded } from './record.ts';
import { accept, operationKey } from './run.ts';
import { equalContent, lookUp, type Ticket, terms, ticketById } from './service.ts';
import type { Work } from './stores.ts';
import { FINAL, operationId, ticketName } from './words.ts';

export type Conclusion = 'confirmed' | 'absent' | 'void';

export interface ResolveInput {
  operation: string;
  conclusion: Conclusion;
  /** Number of the ticket that the decision names; null for none. */
  ticket: number | null;
  looked: string;
  showed: string;
  by: string;
}

function findRun(work: Work, operation: string): RunRow | null {
  const rows = work.runs.prepare('SELECT tenant, run FROM runs').all() as { tenant: string; run: string }[];
  const found = rows.find(({ tenant, run }) => operationId(tenant, run, 'ticket') === operation);
  return found ? readRun(work.runs, found.tenant, found.run) : null;
}

/** Another run of ours whose record holds the ticket. */
function holder(work: Work, row: RunRow, ticket: number): string | null {
  const sql = 'SELECT run FROM runs WHERE tenant = ? AND ticket = ? AND run <> ? LIMIT 1';
  return (work.runs.prepare(sql).pluck().get(row.tenant, ticket, row.run) as string | undefined) ?? null;
}

function whyNotConfirmed(work: Work, row: RunRow, reference: number | null): string | null {
  if (reference === null) return 'A confirmation names its ticket: --reference ticket-1.';
  const ticket = ticketById(work.tickets, row.tenant, reference);
  if (!ticket) return `The service has no ${ticketName(reference)} of ${row.tenant}.`;
  if (!equalContent(ticket, row.action))
    return `${ticketName(reference)} holds something other than what was asked for.`;
  if (ticket.status === 'void') return `${ticketName(reference)} is void.`;
  const other = holder(work, row, reference);
  return other === null ? null : `${ticketName(reference)} is recorded as the ticket of run ${other}.`;
}

function whyNotAbsent(work: Work, row: RunRow, underKey: Ticket | null): string | null {
  const { keys } = terms(work.tickets);
  if (row.ticket !== null) return `The record holds ${ticketName(row.ticket)}.`;
  if (keys && underKey) return `${ticketName(underKey.id)} lies under this operation's key.`;
  if (row.sureFrom !== null && work.now < row.sureFrom)
    return `"Not found" proves nothing before tick ${row.sureFrom}: the look-up lags.`;
  if (row.state === 'dispatching' || (!keys && row.dispatchedAt !== null))
    return `Attempt ${row.attempts} has no recorded end: its worker may still act.`;
  return null;
}

function whyNotVoid(work: Work, row: RunRow, underKey: Ticket | null): string | null {
  const own =
    row.ticket ?? (terms(work.tickets).keys && row.dispatchedAt !== null ? underKey?.id : undefined);
  return own == null ? null : `${ticketName(own)} is this operation's own: confirm it, then compensate it.`;
}

const STATE: Record<Conclusion, RunRow['state']> = {
  confirmed: 'verifying',
  absent: 'created',
  void: 'failed',
};

function decisionOf({ conclusion, ticket, by }: ResolveInput): Move {
  const what =
    conclusion === 'confirmed' && ticket !== null ? `confirmed, ${ticketName(ticket)}` : conclusion;
  return {
    state: STATE[conclusion],
    events: [['reviewed_decision', `${what}; decided by ${by}`]],
    set: conclusion === 'confirmed' ? { ticket } : {},
  };
}

/**
 * Records a reviewed decision on an operation that nobody could decide: after `confirmed` the ticket is accepted like any
 * other, after `absent` the same operation may run again under its key, after `void` nothing is dispatched any more.
 *
 * @returns the recorded state; a refusal, definite, where there is nothing to decide or evidence contradicts it
 */
export function resolve(work: Work, input: ResolveInput): Outcome {
  const { operation, conclusion, ticket, looked, showed, by } = input;
  const row = findRun(work, operation);
  if (!row) return refusal('unknown-operation', `There is no operation ${operation}.`, { operation });
  if (FINAL.includes(row.state)) {
    const message = `${operation} is ${row.state}, which is final; the decision was not recorded.`;
    return refusal('already-settled', message, { operation });
  }
  if (row.dispatchedAt === null && row.doubt === null) {
    const message = `Nothing about ${operation} is in doubt: it dispatched nothing. Run it.`;
    return refusal('nothing-to-resolve', message, { operation });
  }
  const key = operationKey(row.run, Math.max(1, row.attempts), work.without);
  const underKey = lookUp(work.tickets, { tenant: row.tenant, key, action: row.action, now: work.now });
  const problem =
    conclusion === 'confirmed'
      ? whyNotConfirmed(work, row, ticket)
      : conclusion === 'absent'
        ? whyNotAbsent(work, row, underKey)
        : whyNotVoid(work, row, underKey);
  if (problem) {
    const message = `The evidence contradicts "${conclusion}". ${problem} Nothing was recorded.`;
    return refusal('contradicted', message, { operation, effect: 'unknown', decision: 'investigate' });
  }
  try {
    const places = { before: 'before-resolution-commit', after: 'after-resolution' };
    const decided = move(work, row, 'resolution', places, decisionOf(input), () => {
      work.runs
        .prepare(
          `INSERT INTO decisions (tenant, run, conclusion, ticket, looked, showed, decided_by)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(row.tenant, row.run, conclusion, ticket, looked, showed, by);
    });
    const recorded = conclusion === 'confirmed' ? accept(work, decided) : decided;
    const { exit: _exit, reply } = answer(recorded, false);
    return {
      exit: 0,
      reply: { ...(reply as JsonObject), status: 'resolved', recorded: recorded.state, conclusion },
    };
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    const message = `${operation} moved on while the decision was made; look again.`;
    return refusal('superseded', message, { operation });
  }
}

/** True where a record of ours still has to be decided by a person. */
export function isDoubt(cells: JsonObject | undefined): boolean {
  return isObject(cells) && cells.doubt != null;
}
