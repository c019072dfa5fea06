/** What an operator sees of one intent in the panels: never the ground truth. */
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import type { Conclusion, Told } from './standing.ts';
import { intentId, type Mode, type State } from './terms.ts';

export const intentOf = (row: Row): string => intentId(String(row.cells.caller), row.key);

export function readable(evidence: Evidence, store: string): boolean {
  return evidence.integrity.find((entry) => entry.store === store)?.quickCheck === 'ok';
}

/** The sender's own lines of one key, in their order: history, late responses, decisions. */
export function linesOf(evidence: Evidence, key: string): Row[] {
  return panel(evidence, 'events').rows.filter((row) => row.store === 'sender' && row.cells.key === key);
}

/** An outbox row of the panel as the lab's commands read it. */
export function toldOf(evidence: Evidence, { key, cells }: Row): Told {
  const lines = linesOf(evidence, key).map((row) => row.cells);
  const decisions = lines.filter(({ event }) => event === 'decision');
  const concluded = ({ detail }: (typeof decisions)[number]) =>
    (detail as { conclusion: Conclusion }).conclusion;
  const decision = decisions.findLast(({ attempt }) => attempt === cells.attempts);
  const absent = decisions.filter((one) => concluded(one) === 'absent');
  return {
    state: cells.state as State,
    mode: cells.mode as Mode,
    attempts: Number(cells.attempts),
    response: cells.response ?? null,
    late: lines.filter(({ event }) => event === 'late-response').map(({ ticket }) => ticket as number | null),
    decision: decision ? { conclusion: concluded(decision), ticket: decision.ticket as number | null } : null,
    cleared: Math.max(0, ...absent.map(({ attempt }) => Number(attempt))),
  };
}

export function receiptOf(evidence: Evidence, row: Row): Row | undefined {
  return panel(evidence, 'receipts').rows.find((receipt) => receipt.key === intentOf(row));
}

/** True for a receipt that proves a ticket which an attempt of this sender made. */
export function provesOwn(receipt: Row | undefined, attempts: number): boolean {
  const { proves, made_by: by } = receipt?.cells ?? {};
  return proves === 'its ticket' && attempts > 0 && String(by).startsWith('attempt');
}

/** Numbers of the receiver's tickets of this intent; null where they cannot be read. */
export function ticketsOf(evidence: Evidence, row: Row): number[] | null {
  if (!readable(evidence, 'receiver')) return null;
  return panel(evidence, 'target')
    .rows.filter(({ store, cells }) => store === 'receiver' && cells.intent === intentOf(row))
    .map(({ cells }) => Number(cells.ticket));
}
