/** How an operator reads one step: the evidence in plain words, without the ground truth. */
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import type { Decision, Effect, Evidence } from '../../evidence/model.ts';
import type { Assessment } from '../contract.ts';
import { lastSubject, operationRow, type Subject, storeState, ticketCells } from './facts.ts';
import { FINAL, RUNS, TICKETS } from './words.ts';

function assessment(effect: Effect, decision: Decision, survived: string, recordAlone: string): Assessment {
  return { effect, decision, survived: survived, recordAlone: recordAlone };
}

function recordAlone(cells: JsonObject | undefined): string {
  switch (cells?.state) {
    case undefined:
      return 'Nothing. That proves absence only if no record was ever lost.';
    case 'dispatching':
      return '`dispatching`. It reads the same before the ticket and after it.';
    case 'verifying':
      return '`verifying`: a tool said something. Nobody has read the ticket to the end.';
    case 'reconcile_required':
      return '`reconcile_required`: something was dispatched, and it has to be looked for.';
    case 'cancelled':
      return `\`cancelled\`, with ${cells.ticket ?? 'no ticket'} found. Cancelling undid nothing.`;
    case 'denied':
      return '`denied`: nothing more is dispatched. It does not say that nothing was.';
    default:
      return `\`${cells?.state}\`.`;
  }
}

function found(ticket: JsonObject, cells: JsonObject | undefined): Assessment {
  const equal = cells && ticket.source === cells.source && ticket.title === cells.title;
  const final = FINAL.includes(String(cells?.state));
  const ours =
    cells?.ticket === ticket.id || (cells != null && cells.dispatchedAt !== null && cells.doubt == null);
  if (equal !== false && !ours) {
    const text = `${ticket.id} is equal to what was asked for. Nothing recorded says that this run made it.`;
    return final
      ? assessment('absent', 'none', text, recordAlone(cells))
      : assessment('unknown', 'investigate', text, recordAlone(cells));
  }
  if (cells && !equal) {
    const text = `${ticket.id} has this operation's key and other content: it is not what was asked for.`;
    return assessment('unknown', final ? 'none' : 'investigate', text, recordAlone(cells));
  }
  const text = `${ticket.id}, "${ticket.title}", ${ticket.status}: the service holds it for this operation.`;
  return assessment('confirmed', final ? 'none' : 'reconcile', text, recordAlone(cells));
}

function absent(cells: JsonObject | undefined, clock: number): Assessment {
  const alone = recordAlone(cells);
  if (cells?.dispatchedAt == null) {
    const decision: Decision =
      cells && ['failed', 'cancelled', 'budget_exhausted', 'denied'].includes(String(cells.state))
        ? 'none'
        : 'retry-same-key';
    return assessment('absent', decision, 'No ticket, and nothing was ever dispatched.', alone);
  }
  if (clock < Number(cells.sureFrom)) {
    const text = `A look-up may find no ticket before tick ${cells.sureFrom}, and that would prove nothing.`;
    return assessment('unknown', 'reconcile', text, alone);
  }
  if (cells.state === 'cancelled')
    return assessment('absent', 'none', 'No ticket was found when the cancellation was reconciled.', alone);
  const over = ['failed', 'cancelled', 'budget_exhausted', 'succeeded'].includes(String(cells.state));
  const text =
    'No ticket. While a worker that was dispatched may live, that is no proof of absence; the same key makes no second one.';
  return assessment('unknown', over ? 'investigate' : 'retry-same-key', text, alone);
}

/** A compensation that has begun is what is left to read; one that was refused leaves the run's own assessment. */
function compensation(cells: JsonObject | undefined, run: JsonObject | undefined): Assessment | null {
  const alone = `The run: ${recordAlone(run)} Its compensation: \`${cells?.state}\`.`;
  switch (cells?.state) {
    case 'compensated':
      return {
        ...assessment('confirmed', 'none', `${cells.ticket} is void; nothing of it is left.`, alone),
        undone: true,
      };
    case 'failed':
      return assessment(
        'confirmed',
        'investigate',
        `The compensation failed. What is left: ${cells.residue}.`,
        alone,
      );
    case 'dispatching':
    case 'verifying':
      return assessment(
        'unknown',
        'reconcile',
        `A compensation is under way. Last seen: ${cells.residue}.`,
        alone,
      );
    default:
      return null;
  }
}

function ofSubject(evidence: Evidence, subject: Subject, clock: number): Assessment {
  const cells = operationRow(evidence, subject, 'ticket')?.cells;
  const undone = compensation(operationRow(evidence, subject, 'compensation')?.cells, cells);
  if (undone) return undone;
  const ticket = ticketCells(evidence, subject);
  return ticket ? found(ticket, cells) : absent(cells, clock);
}

/**
 * Reads the last step of a history.
 *
 * @returns effect and decision as a careful operator would state them from this evidence
 */
export function assess(history: readonly StepRecord[]): Assessment {
  const last = history.at(-1);
  const evidence = last?.evidence;
  const states = evidence ? [RUNS.id, TICKETS.id].map((store) => storeState(evidence, store)) : [];
  const ever = history.some((record) => record.evidence?.files.some((file) => file.present));
  if (evidence && !ever)
    return { ...assessment('absent', 'none', 'There are no databases yet.', 'Nothing.'), asked: false };
  if (!last || !evidence || states.some((state) => state !== 'sound')) {
    const text = 'A store is gone or cannot be read. Missing evidence is unknown, never absent.';
    return assessment('unknown', 'investigate', text, 'It cannot be compared with the other store.');
  }
  const subject = lastSubject(history);
  if (!subject)
    return { ...assessment('absent', 'none', 'No task has been started.', 'Nothing.'), asked: false };
  return ofSubject(evidence, subject, last.now);
}
