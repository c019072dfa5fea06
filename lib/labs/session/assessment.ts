/** How an operator reads one step: the evidence in plain words, without the ground truth. */
import type { StepRecord } from '../../drill/model.ts';
import type { Evidence, Row } from '../../evidence/model.ts';
import type { Assessment, Investigation } from '../contract.ts';
import {
  clientSound,
  operationsOf,
  ownTicket,
  serviceSound,
  ticketsOf,
  unrecorded,
  updatesOf,
  wasThere,
} from './facts.ts';
import { CLIENT, decisionAbout, FOR_A_PERSON, SERVICE } from './words.ts';

const assessment_ = (
  effect: Assessment['effect'],
  decision: Assessment['decision'],
  survived: string,
  recordAlone: string,
): Assessment => ({ effect, decision, survived: survived, recordAlone: recordAlone });

function readOpen(evidence: Evidence, row: Row): Assessment {
  const alone = `\`${row.cells.status}\`. Neither a retry nor a "done" may be built on that word.`;
  const ticket = ownTicket(evidence, row);
  if (ticket) {
    const text = `Ticket ${ticket.cells.ticket} under the key ${row.key}, with equal parameters.`;
    return assessment_('confirmed', 'reconcile', text, alone);
  }
  const other = ticketsOf(evidence).find((one) => one.cells.operation === row.key);
  if (other) {
    const whose = other.cells.request === null ? 'made by another client' : 'with other parameters';
    const text = `A ticket under the key ${row.key}, ${whose}: not proof of this operation.`;
    return assessment_('unknown', decisionAbout([row.cells.reason]), text, alone);
  }
  if (row.cells.reason === 'no-ticket-yet') {
    const text = `No ticket under the key ${row.key} yet: a server that was asked was not seen to end. The same key makes one ticket, whoever is first.`;
    return assessment_('unknown', decisionAbout([row.cells.reason]), text, alone);
  }
  // Reconcile first: only it knows whether a server of that connection may still commit.
  const text = `No ticket under the key ${row.key}. A server that still lives may make it yet; the key makes one.`;
  return assessment_('unknown', 'reconcile', text, alone);
}

function readClosed(row: Row): Assessment {
  if (row.cells.status === 'void') {
    const text = `A decision gave ${row.key} up: nothing is sent under that key any more.`;
    return assessment_('absent', 'none', text, '`void`, as a person decided.');
  }
  if (row.cells.status === 'not-found' && row.cells.reason === 'reviewed') {
    const text = 'A person found no effect. The same key may be used again, and no other.';
    return assessment_('absent', 'retry-same-key', text, '`not-found`, as a person decided.');
  }
  if (row.cells.status === 'not-found') {
    const text = 'Reconciliation found no ticket. The same key may be used again, and no other.';
    return assessment_('absent', 'retry-same-key', text, '`not-found`, as reconciliation left it.');
  }
  const text = `Ticket ${row.cells.ticket}, recorded against ${row.key}.`;
  return assessment_('confirmed', 'none', text, `\`${row.cells.status}\`.`);
}

function readDirect(evidence: Evidence, last: StepRecord): Assessment {
  const operation = String(last.args.operation ?? '');
  const update = updatesOf(evidence).find((row) => row.key === operation);
  if (update) {
    const text = `An accepted update ${operation}: version ${update.cells.version}.`;
    return assessment_('confirmed', 'none', text, 'The service is its own record.');
  }
  const ticket = ticketsOf(evidence).find((row) => row.cells.operation === operation);
  if (ticket) {
    const text = `Ticket ${ticket.cells.ticket} under the key ${operation}.`;
    return assessment_('confirmed', 'none', text, 'The service is its own record.');
  }
  const refused = last.executors[0]?.code === 3;
  const text = `Nothing of ${operation} at the service.`;
  return assessment_('absent', refused ? 'none' : 'retry-same-key', text, 'The service is its own record.');
}

/**
 * Reads the last step of a history.
 *
 * @returns effect and decision as a careful operator would state them from this evidence
 */
export function assess(history: readonly StepRecord[]): Assessment {
  const last = history.at(-1);
  const evidence = last?.evidence;
  const ever = wasThere(history, CLIENT.id) || wasThere(history, SERVICE.id);
  if (!last || !evidence || !ever)
    return { ...assessment_('absent', 'none', 'Nothing has been done yet.', 'Nothing.'), asked: false };
  if (!clientSound(evidence) || !serviceSound(evidence)) {
    const which = clientSound(evidence) ? 'service' : 'client';
    const text = `The ${which} database cannot be read.`;
    return assessment_('unknown', 'investigate', text, 'Half of the story is gone.');
  }
  const direct = last.spec.release ? history.find((one) => one.label === last.spec.release) : last;
  if (direct && ['update-document', 'create-ticket'].includes(direct.command)) {
    return readDirect(evidence, direct);
  }
  const operations = operationsOf(evidence);
  const open = operations.find((row) => row.cells.status === 'in-flight' || row.cells.status === 'uncertain');
  if (open) return readOpen(evidence, open);
  const [lost] = unrecorded(evidence);
  if (lost) {
    const text = `Ticket ${lost.cells.ticket} was made over a connection for ${lost.cells.operation}, of which the client has no record.`;
    return assessment_('unknown', 'investigate', text, 'Nothing of it.');
  }
  const closed = operations.at(-1);
  if (closed) return readClosed(closed);
  const text = 'No call was ever recorded as in flight.';
  const none = assessment_('absent', 'none', text, 'Nothing was sent.');
  return history.every(({ command }) => command === 'init') ? { ...none, asked: false } : none;
}

const WHERE = "The service's ticket under the key, its recorded replies, and the client's messages.";

/**
 * Operations that are left for a person: what a look-up could not decide, and tickets that no record explains.
 *
 * @returns from the last step's evidence, without its ground truth
 */
export function investigations(history: readonly StepRecord[]): Investigation[] {
  const evidence = history.at(-1)?.evidence;
  if (!evidence || !clientSound(evidence) || !serviceSound(evidence)) return [];
  const doubts = operationsOf(evidence)
    .filter(({ cells }) => cells.status === 'uncertain' && FOR_A_PERSON.includes(cells.reason))
    .map(({ key, cells }) => ({
      operation: key,
      effect: `whether a call of ${key} made a ticket`,
      missing:
        cells.reason === 'ticket-differs'
          ? 'A ticket under the key with the parameters that were asked for.'
          : 'A ticket under the key that a request of this client made.',
      where: WHERE,
    }));
  const lost = unrecorded(evidence).map(({ cells }) => ({
    operation: String(cells.operation),
    effect: `who asked for ticket ${cells.ticket}`,
    missing: `The client's record of ${cells.operation}.`,
    where: WHERE,
  }));
  return [...doubts, ...lost];
}
