/** `run`: the rules in their order (README.md, "Order of the rules"), each recorded in a commit of its own. */
import { boundary } from '../../boundary/boundary.ts';
import type { Outcome } from '../child.ts';
import { answer, refusal, superseded } from './answer.ts';
import { approvalDigest } from './approval.ts';
import { actionProblem, type RunInput } from './input.ts';
import { freeze, type Move, move, type RunRow, Superseded } from './record.ts';
import { createTicket, equalContent, lookUp, type Ticket, terms, ticketById } from './service.ts';
import type { Work } from './stores.ts';
import { CREATE_TOOL, FINAL, keeps, operationId, ticketName } from './words.ts';

/** What this process has done at the service so far. */
interface Acted {
  made: number | null;
}

const DECISION = { before: 'before-decision-commit', after: 'after-decision' };
const RECONCILE = { before: 'before-reconcile-commit', after: 'after-reconcile' };

/** One rule's outcome: state and event in one commit. */
function record(work: Work, row: RunRow, to: Move): RunRow {
  return move(work, row, 'decision', DECISION, to);
}

/** The operation's key: the same for every attempt. Without `stable-key`, another each time. */
export function operationKey(run: string, attempt: number, without: ReadonlySet<string>): string {
  return keeps(without, 'stable-key') ? `${run}:ticket` : `${run}:ticket#${attempt}`;
}

interface Found {
  ticket: Ticket | null;
  /** Whether the ticket is known to be this run's: by its recorded id, or by a key under which this run dispatched. */
  owned: boolean;
  /** Whether "not found" means that nothing dispatched before is there. */
  sure: boolean;
}

/** Looks for what this run has dispatched: by the id it recorded, else as the service offers it. */
function find(work: Work, row: RunRow): Found {
  const { tickets, now, without } = work;
  const byId = row.ticket === null ? null : ticketById(tickets, row.tenant, row.ticket);
  if (byId) return { ticket: byId, owned: true, sure: true };
  const key = operationKey(row.run, Math.max(1, row.attempts), without);
  const ticket = lookUp(tickets, { tenant: row.tenant, key, action: row.action, now });
  // An equal value is not our effect: whoever never dispatched made nothing, and content alone has no owner.
  const owned =
    !keeps(without, 'ownership-needs-dispatch') || (row.dispatchedAt !== null && terms(tickets).keys);
  return { ticket, owned, sure: row.sureFrom === null || now >= row.sureFrom };
}

/** Rule 4. Cancelling is not undoing: what may have been dispatched has to be looked for. */
function cancel(work: Work, row: RunRow): RunRow {
  const undone = row.dispatchedAt === null || !keeps(work.without, 'cancel-reconciles');
  return record(work, row, {
    state: undone ? 'cancelled' : 'reconcile_required',
    events: [['cancel_requested', undone ? 'nothing was dispatched' : 'something was dispatched']],
    set: { cancel_requested: 1 },
  });
}

/** Rule 5. Records what exists; nothing is dispatched any more. */
function reconcileCancel(work: Work, row: RunRow): RunRow {
  const { ticket, owned, sure } = find(work, row);
  const ours = ticket && equalContent(ticket, row.action) ? ticket : null;
  if (ours && !owned) return ownershipUnknown(work, row, ours.id);
  if (!ticket && !sure) return inconclusive(work, row);
  const detail = ours ? `found ${ticketName(ours.id)}` : ticket ? 'another ticket has the key' : 'found none';
  return move(work, row, 'reconciliation', RECONCILE, {
    state: 'cancelled',
    events: [['cancellation_reconciled', detail]],
    set: { ticket: ours?.id ?? null },
  });
}

/** An equal ticket that this run may not have made: a person decides whose it is. */
function ownershipUnknown(work: Work, row: RunRow, ticket: number): RunRow {
  return record(work, row, {
    state: 'reconcile_required',
    events: [['ownership_unknown', `${ticketName(ticket)} is equal; nothing says that this run made it`]],
    set: { doubt: 'ownership' },
  });
}

/** A "not found" that is younger than the lag says nothing. */
function inconclusive(work: Work, row: RunRow): RunRow {
  return record(work, row, {
    state: 'reconcile_required',
    events: [['lookup_inconclusive', `"not found" counts from tick ${row.sureFrom} on`]],
  });
}

/** Rule 9, the end: acceptance reads the ticket that really exists and compares it with what was expected. */
export function accept(work: Work, row: RunRow): RunRow {
  const { tickets, without } = work;
  const ticket = row.ticket === null ? null : ticketById(tickets, row.tenant, row.ticket);
  const good =
    ticket !== null &&
    ticket.status !== 'void' &&
    equalContent(ticket, row.expected) &&
    row.expected.tool === CREATE_TOOL;
  const accepted = good || !keeps(without, 'acceptance-reads-the-target');
  const detail = good
    ? 'the ticket is as expected'
    : ticket
      ? 'the ticket is not as expected'
      : 'no such ticket';
  const validated = move(
    work,
    row,
    'validation',
    { before: 'before-validation-commit', after: 'after-validation' },
    {
      state: 'verifying',
      events: [
        accepted ? ['validation_passed', good ? detail : 'the tool said so'] : ['validation_failed', detail],
      ],
    },
  );
  return move(
    work,
    validated,
    'final',
    { before: 'before-final-commit', after: 'after-final' },
    { state: accepted ? 'succeeded' : 'failed', events: [[accepted ? 'task_succeeded' : 'task_failed']] },
  );
}

/** Rule 9, the beginning: intent and attempt in one commit. */
function prepare(work: Work, row: RunRow): RunRow {
  const counted = keeps(work.without, 'attempt-with-intent');
  const { lag } = terms(work.tickets);
  return move(
    work,
    row,
    'intent',
    { before: 'before-intent-commit', after: 'after-intent' },
    {
      state: 'dispatching',
      dispatch: true,
      events: [['dispatch_prepared', `attempt ${row.attempts + 1} of ${row.budget}`]],
      set: {
        ...(counted ? { attempts: row.attempts + 1 } : {}),
        dispatched_at: work.now,
        // Never earlier than before, whatever the clock says: an earlier dispatch still has its lag.
        sure_from: Math.max(row.sureFrom ?? 0, work.now + lag),
      },
    },
  );
}

/** Rule 9: intent, effect, result, acceptance, final state. */
function dispatch(work: Work, decidedFrom: RunRow, acted: Acted): RunRow {
  const { tickets, now, without } = work;
  const row = prepare(work, decidedFrom);
  const { tenant, run, action } = row;
  boundary('before-effect');
  const key = operationKey(run, decidedFrom.attempts + 1, without);
  const maker = { operation: operationId(tenant, run, 'ticket'), actor: 'executor' };
  const created = createTicket(tickets, { tenant, key, action, now, maker }, 'effect', {
    before: 'before-effect-commit',
    after: 'after-effect',
  });
  acted.made = 'ticket' in created && created.made ? created.ticket : null;
  const places = { before: 'before-result-commit', after: 'after-result' };
  const attempts = decidedFrom.attempts + 1;
  if ('conflict' in created) {
    const detail = `${ticketName(created.conflict)} has this key and other content`;
    const events: Move['events'] = [['operation_conflict', detail]];
    return move(work, row, 'result', places, { state: 'failed', events, set: { attempts } });
  }
  // Nothing of ours was under way before this attempt: a key that is known already was used by somebody else.
  if (!created.made && decidedFrom.dispatchedAt === null && keeps(without, 'ownership-needs-dispatch'))
    return ownershipUnknown(work, row, created.ticket);
  const result = move(work, row, 'result', places, {
    state: 'verifying',
    events: [['tool_result', `${ticketName(created.ticket)}${created.made ? '' : ', known already'}`]],
    set: { attempts, ticket: created.ticket },
  });
  return accept(work, result);
}

/** Rule 7. Null where nothing was found and the rules go on. */
function reconcile(work: Work, row: RunRow, { ticket, owned }: Found): RunRow | null {
  if (!ticket) return null;
  if (!equalContent(ticket, row.action)) {
    const detail = `${ticketName(ticket.id)} has this key and other content`;
    return record(work, row, { state: 'failed', events: [['operation_conflict', detail]] });
  }
  if (!owned) return ownershipUnknown(work, row, ticket.id);
  const found = move(work, row, 'reconciliation', RECONCILE, {
    state: 'verifying',
    events: [['effect_reconciled', `found ${ticketName(ticket.id)}; no new attempt`]],
    set: { ticket: ticket.id },
  });
  return accept(work, found);
}

function approved({ without }: Work, { context, run, approval }: RunInput, row: RunRow): boolean {
  if (approval === null) return false;
  return !keeps(without, 'approval-binding') || approval === approvalDigest(context, run, row.action);
}

function decide(work: Work, input: RunInput, row: RunRow, acted: Acted): RunRow {
  const { without } = work;
  if (FINAL.includes(row.state)) return row;
  const asked = row.dispatchedAt === null || keeps(without, 'policy-on-resume');
  if (!input.context.allowed && asked) {
    const version = `policy version ${input.context.policyVersion}`;
    return record(work, row, { state: 'denied', events: [['policy_denied', version]] });
  }
  if (input.cancel) return cancel(work, row);
  if (row.cancelRequested) return reconcileCancel(work, row);
  const problem = actionProblem(row.action);
  if (problem) return record(work, row, { state: 'failed', events: [['invalid_action', problem]] });
  const looks = keeps(without, 'look-up-before-dispatch');
  const found: Found = looks ? find(work, row) : { ticket: null, owned: true, sure: true };
  const reconciled = reconcile(work, row, found);
  if (reconciled) return reconciled;
  // Without keys a second dispatch would be a second ticket: the published lag has to be waited out.
  if (!found.sure && !terms(work.tickets).keys) return inconclusive(work, row);
  if (!approved(work, input, row)) {
    const events: Move['events'] = [['approval_required', 'no approval of exactly this']];
    return record(work, row, { state: 'waiting_approval', events });
  }
  if (row.attempts >= row.budget) {
    // A final state must not rest on a "not found" that proves nothing yet.
    if (!found.sure) return inconclusive(work, row);
    const events: Move['events'] = [['budget_exhausted', `${row.attempts} of ${row.budget}`]];
    return record(work, row, { state: 'budget_exhausted', events });
  }
  return dispatch(work, row, acted);
}

/**
 * Starts a run or resumes it.
 *
 * @returns the recorded state with its exit code; `superseded` where the record moved on in between
 */
export function submit(work: Work, input: RunInput): Outcome {
  const row = freeze(work, input);
  if (!row) {
    return refusal(
      'contract-changed',
      'This run was started with another principal, action, expected result or budget; it was left as it is.',
      { operation: operationId(input.context.tenant, input.run, 'ticket') },
    );
  }
  const acted: Acted = { made: null };
  try {
    return answer(decide(work, input, row, acted), acted.made !== null);
  } catch (error) {
    if (error instanceof Superseded) return superseded(work, row, acted.made);
    throw error;
  }
}
