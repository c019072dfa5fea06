/** How an operator reads the evidence, without the ground truth and without the external tool's tickets. */
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import type { Assessment, Investigation } from '../contract.ts';
import { inDoubt, meaning, proofOf, type Told, ticketOf } from './standing.ts';
import { intentId, mailOf, refundOf, type State } from './terms.ts';
import { provesOwn, readable, receiptOf, ticketsOf, toldOf } from './view.ts';

function assessment(
  effect: Assessment['effect'],
  decision: Assessment['decision'],
  survived: string,
  recordAlone: string,
): Assessment {
  return { effect, decision, survived, recordAlone };
}

/** Rows of the operation that the last step was about, its mail and its refund behind it; else the first row. */
function subjects(evidence: Evidence, history: readonly StepRecord[]): Row[] {
  const list = panel(evidence, 'operation').rows;
  const { key, operation } = history.findLast(({ args }) => args.key ?? args.operation)?.args ?? {};
  const asked = String(key ?? operation);
  const own = [asked, mailOf(asked), refundOf(asked)].flatMap((name) =>
    list.filter((row) => row.key === name),
  );
  return own.length > 0 ? own : list.slice(0, 1);
}

const WORDS: Record<State | 'absent', string> = {
  absent: 'A request without an outbox row: accepted, and nothing will send it.',
  pending: 'Pending, never claimed.',
  inflight: 'In flight: claimed, and not heard of since. That says nothing about the ticket.',
  done: 'Done, with the response that says why.',
  unknown: 'Unknown: the record says that it cannot say.',
  blocked: 'Blocked: no further sending.',
};

function wordOf({ state, response }: Told): string {
  return state === 'done' && response === null
    ? 'Done. The word was written before the work.'
    : WORDS[state as State | 'absent'];
}

/** What survived of a row that neither a receipt nor the receiver's tickets say more about. */
function survivedOf(told: Told): string {
  const { state, mode, late, decision } = told;
  if (decision) return `A reviewed decision: ${decision.conclusion}.`;
  if (inDoubt(told) && proofOf(told) !== null) return `A late response that names ticket ${proofOf(told)}.`;
  if (late.length > 0) return `Late responses that name ticket ${late.join(' and ')}.`;
  switch (state) {
    case 'pending':
      return 'The intent, never claimed.';
    case 'unknown':
      return 'That the tool may have been called.';
    case 'blocked':
      return 'That the receiver refused, or answered with something that is no answer.';
    case 'done':
      if (told.response === null) return 'The word done, and no response.';
      return meaning(told).decision === 'none'
        ? 'A stored response that names this key, this caller and this payload.'
        : 'A stored response to the last attempt, and nothing about the attempts before it.';
    default:
      if (mode === 'external') return 'A claim. The tool keeps no receipt that could be asked.';
      if (mode === 'naive') return 'A claim. No receipt is kept: a retry would be a guess.';
      return 'A claim, and no receipt. An earlier delivery may still arrive; the receiver will know the key.';
  }
}

/** How an operator reads one row of the outbox. */
export function assessRow(evidence: Evidence, row: Row): Assessment {
  const told = toldOf(evidence, row);
  const [proof, tickets] = [receiptOf(evidence, row), ticketsOf(evidence, row)];
  const word = wordOf(told);
  const open = inDoubt(told) || told.state === 'inflight';
  const means = meaning(told);
  if (row.cells.state === 'absent')
    return assessment('absent', 'investigate', 'A request without an outbox row.', word);
  if (told.attempts === 0 && (proof || tickets?.length)) {
    const survived = 'A ticket under this key that this sender never sent: an equal value is not its effect.';
    return assessment('unknown', 'investigate', survived, word);
  }
  if (told.decision) return assessment(means.effect, means.decision, survivedOf(told), word);
  if (open && provesOwn(proof, told.attempts)) {
    const survived = `A receipt of this key that agrees with ticket ${proof?.cells.ticket}.`;
    return assessment('confirmed', 'reconcile', survived, word);
  }
  if (open && proof) {
    const survived = `A receipt that proves ${proof.cells.proves}, made by ${proof.cells.made_by}.`;
    return assessment('unknown', 'investigate', survived, word);
  }
  if (told.state === 'inflight' && told.mode === 'mark_before') {
    const survived = 'A claim that was not yet marked done; sending comes after marking.';
    return assessment('absent', 'retry-same-key', survived, word);
  }
  const ticket = ticketOf(told.response);
  if (ticket !== null && told.mode !== 'external' && tickets !== null && !tickets.includes(ticket)) {
    const survived = `A response that names ticket ${ticket}, and a receiver that has no such ticket of this intent.`;
    return assessment('unknown', 'investigate', survived, word);
  }
  if (ticket !== null && (tickets ?? []).length > 1) {
    const survived = `A response that names ticket ${ticket}, and ${tickets?.length} tickets of one intent.`;
    return assessment('unknown', 'investigate', survived, word);
  }
  return assessment(means.effect, means.decision, survivedOf(told), word);
}

/** Nothing is recorded at the sender: what then? */
function withoutRow(evidence: Evidence, history: readonly StepRecord[]): Assessment {
  const { caller, key } = history.findLast((record) => record.command === 'receive')?.args ?? {};
  const intent = intentId(String(caller), String(key));
  const receipt = panel(evidence, 'receipts').rows.find((row) => row.key === intent);
  if (receipt?.cells.proves === 'its ticket') {
    const survived = `A receipt of this caller and key that agrees with ticket ${receipt.cells.ticket}.`;
    return assessment('confirmed', 'none', survived, 'Nothing: the delivery went past the sender.');
  }
  if (receipt) {
    const survived = `A receipt that proves ${receipt.cells.proves}.`;
    return assessment('unknown', 'investigate', survived, 'Nothing: the delivery went past the sender.');
  }
  if (!history.some((record) => record.command === 'enqueue')) {
    return { ...assessment('absent', 'none', 'Empty databases.', 'Nothing was asked for.'), asked: false };
  }
  const word = 'Nothing: the intent was never committed.';
  return assessment('absent', 'retry-same-key', 'No request and no outbox row.', word);
}

/**
 * Reads the last step as an operator would (README.md, "Who may conclude what from what").
 *
 * @param history records so far; the last one is read
 */
export function assess(history: readonly StepRecord[]): Assessment {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return assessment('unknown', 'investigate', 'No evidence was taken.', 'Nothing.');
  if (!readable(evidence, 'sender')) {
    const never = history.every((record) => !record.evidence?.files.some((file) => file.present));
    if (never) return { ...assessment('absent', 'none', 'Nothing is there yet.', 'Nothing.'), asked: false };
    const survived = "The sender's database cannot be read.";
    return assessment('unknown', 'investigate', survived, 'Nothing: the record is gone.');
  }
  const rows = subjects(evidence, history);
  if (rows.length === 0) return withoutRow(evidence, history);
  const read = rows.map((row) => ({ row, ...assessRow(evidence, row) }));
  // The first effect that asks for something; with none, how the operation itself stands.
  const { row: _row, ...found } =
    read.find(({ decision }) => decision !== 'none') ?? (read[0] as (typeof read)[0]);
  const undone = read.some(({ row, effect }) => row.key.endsWith(':refund') && effect === 'confirmed');
  return { ...found, ...(undone ? { undone: true as const } : {}) };
}

const TOOL =
  'At the tool itself: its tickets with this payload, and whether the worker of that attempt still runs.';

/** What nobody could decide so far, with the evidence that is missing and where it would be. */
export function investigations(history: readonly StepRecord[]): Investigation[] {
  const evidence = history.findLast((record) => record.evidence)?.evidence;
  if (!evidence || !readable(evidence, 'sender')) return [];
  return panel(evidence, 'operation').rows.flatMap((row): Investigation[] => {
    const { effect, decision, survived } = assessRow(evidence, row);
    if (decision !== 'investigate') return [];
    const external = row.cells.mode === 'external';
    const missing = external
      ? 'A response or a receipt that names the ticket: the tool keeps none.'
      : `A receipt that proves one ticket of this operation. What survived: ${survived}`;
    const where = external
      ? TOOL
      : "At the receiver: its tickets and receipts under this caller and key, and the sender's late responses.";
    const doubt =
      effect === 'confirmed'
        ? 'Whether the recorded ticket is the only one.'
        : 'Whether the ticket of this operation exists, and whether it exists once.';
    return [{ operation: row.key, effect: doubt, missing, where }];
  });
}

export const runbook = [
  'Stop or wait for every sender of the operation: a lease that is over stops nobody.',
  'Run `recover`: a receipt or a late response of its own ends the doubt without another call.',
  'Count the tickets of this caller and key at the receiver, or those with this payload at the tool.',
  'None: `resolve` as absent, then dispatch the same key. One that is certainly ours: `resolve` as confirmed.',
  "More than one, or one that may be somebody else's: leave it unknown and ask whoever owns the tickets.",
  'Never call the tool by hand to find out.',
];
