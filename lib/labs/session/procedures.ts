/** What the crash matrix tries, and what a correct operator does afterwards. */
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import type { Evidence } from '../../evidence/model.ts';
import type { NextAction, Procedure } from '../contract.ts';
import { clientSound, operationsOf, serviceSound, ticketsOf, updatesOf } from './facts.ts';
import { FOR_A_PERSON, OPERATION, SOURCE, TITLE } from './words.ts';

const init = { label: 'init', command: 'init' };

/** The ordinary conversation: connect, list, one call, disconnect. */
export const CONVERSATION: JsonObject = {
  actions: [
    { do: 'connect' },
    { do: 'list-tools' },
    { do: 'call', operation: OPERATION, source: SOURCE, title: TITLE },
    { do: 'disconnect' },
  ],
};

/** What an operator writes down who finds another client's ticket under the key. */
const VOID: JsonObject = {
  conclusion: 'void',
  looked: 'the ticket under the key and the requests of this client',
  showed: 'no request of this client made the ticket',
  by: 'operator',
};

export const procedures: Procedure[] = [
  {
    id: 'converse',
    title: 'One conversation with one call',
    steps: [init, { label: 'converse', command: 'converse', args: CONVERSATION }],
    may: [],
  },
  {
    id: 'update-document',
    title: 'One writer updates the document',
    steps: [
      init,
      {
        label: 'update',
        command: 'update-document',
        args: { operation: 'update-001', body: 'reviewed', expected: 1 },
      },
    ],
    may: [],
  },
  {
    id: 'create-ticket',
    title: 'One ticket asked of the service directly',
    steps: [
      init,
      {
        label: 'create',
        command: 'create-ticket',
        args: { operation: OPERATION, source: SOURCE, title: TITLE },
      },
    ],
    may: [],
  },
  {
    id: 'resolve',
    title: "Doubt beside another client's ticket, ended by a decision",
    steps: [
      init,
      {
        label: 'other',
        command: 'create-ticket',
        args: { operation: OPERATION, source: SOURCE, title: TITLE },
      },
      { label: 'converse', command: 'converse', args: CONVERSATION },
      { label: 'reconcile', command: 'reconcile', args: { operation: OPERATION } },
      { label: 'resolve', command: 'resolve', args: { operation: OPERATION, ...VOID } },
    ],
    may: [],
  },
];

const asked = (args: JsonObject | undefined, name: string): string => String(args?.[name] ?? '');

/** Operations that the conversation is to call, in its order. */
function wanted(args: JsonObject): string[] {
  const actions = Array.isArray(args.actions) ? (args.actions as JsonObject[]) : [];
  return actions.filter((action) => action.do === 'call').map((action) => String(action.operation));
}

/** What a look-up can leave uncertain: looking again at once finds no more. */
const LOOKED_UP: readonly unknown[] = [...FOR_A_PERSON, 'no-ticket-yet'];

/** A decision where the panels decide: the ticket under the key is another client's, and was not refused before. */
function decision(evidence: Evidence, clock: number, history: readonly StepRecord[]): NextAction | null {
  const doubt = operationsOf(evidence).find(
    ({ cells }) => cells.status === 'uncertain' && FOR_A_PERSON.includes(cells.reason),
  );
  const ticket = ticketsOf(evidence).find(({ cells }) => cells.operation === doubt?.key);
  const last = history.at(-1);
  const refused = last?.command === 'resolve' && last.executors[0]?.code === 3;
  if (!doubt || ticket?.cells.request !== null || refused) return null;
  return { command: 'resolve', args: { operation: doubt.key, ...VOID }, now: clock };
}

/**
 * A correct operator's next action: reconcile what is uncertain, and repeat under the same key what was not recorded
 * or not found, be it only not yet. What another client's ticket stands in the way of is given up by a decision; an
 * operation whose own ticket differs is left to a person.
 *
 * @returns null where nothing more is to be done, or only a person may do it
 */
export function next(
  evidence: Evidence,
  clock: number,
  _saved: JsonObject,
  history: readonly StepRecord[],
): NextAction | null {
  if (!serviceSound(evidence) || !clientSound(evidence)) return null;
  const operations = operationsOf(evidence);
  const open = operations.find(
    ({ cells }) =>
      cells.status === 'in-flight' || (cells.status === 'uncertain' && !LOOKED_UP.includes(cells.reason)),
  );
  if (open) return { command: 'reconcile', args: { operation: open.key }, now: clock };
  const decide = decision(evidence, clock, history);
  if (decide) return decide;
  const last = history.findLast((record) =>
    ['converse', 'update-document', 'create-ticket'].includes(record.command),
  );
  if (!last) return null;
  const again = { command: last.command, args: last.args, now: clock };
  if (last.command === 'update-document') {
    const accepted = updatesOf(evidence).some((row) => row.key === asked(last.args, 'operation'));
    const refused = last.executors[0]?.code === 3;
    return accepted || refused ? null : again;
  }
  if (last.command === 'create-ticket') {
    const key = asked(last.args, 'operation');
    const there = ticketsOf(evidence).some((row) => row.cells.operation === key);
    return there || last.executors[0]?.code === 3 ? null : again;
  }
  const todo = wanted(last.args).filter((operation) => {
    const cells = operations.find((row) => row.key === operation)?.cells;
    return cells === undefined || cells.status === 'not-found' || cells.reason === 'no-ticket-yet';
  });
  return todo.length > 0 ? again : null;
}
