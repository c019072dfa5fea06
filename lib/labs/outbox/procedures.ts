/** Procedures that a sweep tries boundary by boundary, and what a correct operator does next. */
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel } from '../../evidence/model.ts';
import type { NextAction, Procedure } from '../contract.ts';
import { DEFAULT_KEY, type Mode } from './terms.ts';

function procedure(mode: Mode, title: string, may: string[]): Procedure {
  return {
    id: `enqueue-and-dispatch-${mode.replace('_', '-')}`,
    title: title,
    steps: [
      { label: 'init', command: 'init', now: 0 },
      { label: 'enqueue', command: 'enqueue', args: { mode }, now: 0 },
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
];

/**
 * What a correct operator does now: enqueue again with the same key where nothing was recorded, dispatch where
 * something may be sent, and only once the lease is over; nothing more in a final state.
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
  if (!asked || evidence.integrity.find(({ store }) => store === 'sender')?.quickCheck !== 'ok') return null;
  const key = asked.args.key ?? DEFAULT_KEY;
  const row = panel(evidence, 'operation').rows.find((candidate) => candidate.key === key);
  if (!row || row.cells.state === 'absent') return { command: 'enqueue', args: asked.args, now: clock };
  if (row.cells.state === 'pending') return { command: 'dispatch', args: { key }, now: clock };
  if (row.cells.state !== 'inflight') return null;
  return { command: 'dispatch', args: { key }, now: Math.max(clock, Number(row.cells.lease)) };
}
