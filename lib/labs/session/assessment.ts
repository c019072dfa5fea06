/** How an operator reads one step: the evidence in plain words, without the ground truth. */
import type { StepRecord } from '../../drill/model.ts';
import type { Evidence, Row } from '../../evidence/model.ts';
import type { Assessment } from '../contract.ts';
import {
  clientSound,
  operationsOf,
  ownTicket,
  serviceSound,
  ticketsOf,
  updatesOf,
  wasThere,
} from './facts.ts';
import { CLIENT, SERVICE } from './words.ts';

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
    const text = `A ticket under the key ${row.key}, with other parameters: not proof of this operation.`;
    return assessment_('unknown', 'investigate', text, alone);
  }
  if (row.cells.reason === 'no-ticket-yet') {
    const text = `No ticket under the key ${row.key} yet: a server that was asked was not seen to end. The same key makes one ticket, whoever is first.`;
    return assessment_('unknown', 'retry-same-key', text, alone);
  }
  // Reconcile first: only it knows whether a server of that connection may still commit.
  const text = `No ticket under the key ${row.key}. A server that still lives may make it yet; the key makes one.`;
  return assessment_('unknown', 'retry-same-key', text, alone);
}

function readClosed(row: Row): Assessment {
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
  const closed = operations.at(-1);
  if (closed) return readClosed(closed);
  const text = 'No call was ever recorded as in flight.';
  const none = assessment_('absent', 'none', text, 'Nothing was sent.');
  return history.every(({ command }) => command === 'init') ? { ...none, asked: false } : none;
}
