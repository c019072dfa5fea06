/** Procedures that a sweep tries boundary by boundary, and what a correct operator does next. */
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import type { NextAction, Procedure } from '../contract.ts';
import { assessRow } from './assessment.ts';
import { inDoubt } from './standing.ts';
import { DEFAULT_KEY, type Mode, mailOf } from './terms.ts';
import { readable, ticketsOf, toldOf } from './view.ts';

function procedure(mode: Mode, title: string, may: string[], mail = false): Procedure {
  return {
    id: mail ? 'charge-then-mail' : `enqueue-and-dispatch-${mode.replace('_', '-')}`,
    title,
    steps: [
      { label: 'init', command: 'init', now: 0 },
      { label: 'enqueue', command: 'enqueue', args: { mode, ...(mail ? { mail } : {}) }, now: 0 },
      { label: 'dispatch', command: 'dispatch', now: 0 },
    ],
    may,
  };
}

export const procedures: Procedure[] = [
  procedure('idempotent', 'Enqueue and dispatch, receiver with receipts', []),
  procedure('naive', 'Enqueue and dispatch, receiver without receipts', [
    'one-effect-per-intent',
    'done-means-one-effect',
  ]),
  procedure('mark_before', 'Enqueue and dispatch, marked done before sending', [
    'done-means-one-effect',
    'done-has-its-response',
  ]),
  procedure('external', 'Enqueue and dispatch, a tool without operation keys', []),
  procedure('idempotent', 'One operation with two effects: a charge with a receipt, then a mail', [], true),
];

/** What a person decides who has waited for every writer to end and looks at the panels, or null where they do not tell. */
function reviewed(evidence: Evidence, row: Row, now: number): NextAction | null {
  const told = toldOf(evidence, row);
  if (!inDoubt(told) && told.state !== 'done') return null;
  const external = told.mode === 'external';
  if (!readable(evidence, external ? 'external' : 'receiver')) return null;
  const equal = panel(evidence, 'target').rows.filter(
    ({ store, cells }) => store === 'external' && cells.payload_hash === row.cells.payload_hash,
  );
  // A ticket of the tool names nobody: one with an equal payload may be somebody else's.
  if (external && equal.length > 0) return null;
  const tickets = external ? [] : (ticketsOf(evidence, row) ?? []);
  // The receiver refused, or its answer was none: without a ticket there, that is no proof of absence for a late call.
  if (tickets.length > 1 || told.state === 'blocked') return null;
  const conclusion = tickets.length === 1 ? 'confirmed' : 'absent';
  const args = {
    operation: row.key,
    conclusion,
    ...(tickets.length === 1 ? { reference: tickets[0] as number } : {}),
    looked: external
      ? 'The tickets of the tool; every worker has ended.'
      : 'The tickets of the receiver; every sender has ended.',
    showed:
      tickets.length === 1
        ? `Ticket ${tickets[0]} under this caller and key.`
        : 'No ticket of this operation.',
    by: 'operator',
  };
  return { command: 'resolve', args, now };
}

/**
 * What a correct operator does now: enqueue again with the same key where nothing was recorded, dispatch where
 * something may be sent, and only once the lease is over; where the record is in doubt, take in its own proof, or
 * decide what the panels decide. Nothing more where they do not.
 *
 * A row in flight is dispatched in every mode, though a reply permits it in some alone: after the lease it is the
 * lab's own rule that decides, as a sender's loop would ask it. For `external` that rule sends nothing; for `naive` it
 * sends again, and the second ticket is what its procedure declares.
 *
 * @param evidence what is there, without its ground truth
 * @param clock the logical clock of the last step
 * @param history the steps so far: the operator knows what was asked for
 */
export function next(
  evidence: Evidence,
  clock: number,
  _saved: JsonObject,
  history: readonly StepRecord[],
): NextAction | null {
  const asked = history.find((record) => record.command === 'enqueue');
  if (!asked || !readable(evidence, 'sender')) return null;
  const key = String(asked.args.key ?? DEFAULT_KEY);
  const row = (name: string) => panel(evidence, 'operation').rows.find((candidate) => candidate.key === name);
  const [first, mail] = [row(key), row(mailOf(key))];
  if (!first || first.cells.state === 'absent') return { command: 'enqueue', args: asked.args, now: clock };
  const open = [first, ...(mail ? [mail] : [])].find((one) => assessRow(evidence, one).decision !== 'none');
  if (!open) return null;
  // The mail of an operation is sent by dispatching the operation.
  if (open.cells.state === 'inflight') {
    return { command: 'dispatch', args: { key }, now: Math.max(clock, Number(open.cells.lease)) };
  }
  const { decision } = assessRow(evidence, open);
  if (decision === 'retry-same-key') return { command: 'dispatch', args: { key }, now: clock };
  const last = history.at(-1);
  const inVain = last?.executors.some(({ code }) => code !== null && code !== 86) ? last.command : null;
  if (decision === 'investigate') return inVain === 'resolve' ? null : reviewed(evidence, open, clock);
  return inVain === 'recover' ? null : { command: 'recover', args: { key: open.key }, now: clock };
}
