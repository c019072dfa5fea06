/** How an operator reads the evidence, without the ground truth and without the external tool's tickets. */
import { isObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import type { Assessment } from '../contract.ts';
import { intentId, type Mode, type State } from './terms.ts';

function assessment(
  effect: Assessment['effect'],
  decision: Assessment['decision'],
  survived: string,
  recordAlone: string,
): Assessment {
  return { effect, decision, survived: survived, recordAlone: recordAlone };
}

function readable(evidence: Evidence, store: string): boolean {
  return evidence.integrity.find((entry) => entry.store === store)?.quickCheck === 'ok';
}

/** What an operator can see of one intent: the row, its receipt, its tickets at the receiver; never the tool. */
interface View {
  row: Row;
  mode: Mode;
  /** The receipt of this caller and key. */
  proof: Row | undefined;
  proven: boolean;
  /** Numbers of the receiver's tickets of this intent; null where they cannot be read. */
  tickets: number[] | null;
}

function ticketsOf(evidence: Evidence, intent: string): number[] | null {
  if (!readable(evidence, 'receiver')) return null;
  const own = panel(evidence, 'target').rows.filter(
    (row) => row.store === 'receiver' && row.cells.intent === intent,
  );
  return own.map((row) => Number(row.cells.ticket));
}

function receiptOf(evidence: Evidence, intent: string): Row | undefined {
  return panel(evidence, 'receipts').rows.find((receipt) => receipt.key === intent);
}

/** The row that the last step was about: its key, else the one that is there. */
function subject(evidence: Evidence, history: readonly StepRecord[]): Row | undefined {
  const list = panel(evidence, 'operation').rows;
  const key = history.findLast((record) => typeof record.args.key === 'string')?.args.key;
  return list.find((row) => row.key === key) ?? list[0];
}

function inflight({ mode, proof }: View): Assessment {
  const word = 'In flight: claimed, and not heard of since. That says nothing about the ticket.';
  if (mode === 'external') {
    return assessment(
      'unknown',
      'investigate',
      'A claim. The tool keeps no receipt that could be asked.',
      word,
    );
  }
  if (mode === 'mark_before') {
    const survived = 'A claim that was not yet marked done; sending comes after marking.';
    return assessment('absent', 'retry-same-key', survived, word);
  }
  if (mode === 'naive') {
    return assessment(
      'unknown',
      'investigate',
      'A claim. No receipt is kept: a retry would be a guess.',
      word,
    );
  }
  if (proof)
    return assessment('unknown', 'investigate', `A receipt that proves ${proof.cells.proves}.`, word);
  const survived =
    'A claim, and no receipt. An earlier delivery may still arrive; the receiver will know the key.';
  return assessment('unknown', 'retry-same-key', survived, word);
}

function done({ row, tickets }: View): Assessment {
  const response = row.cells.response;
  if (response === null) {
    const word = 'Done. The word was written before the work.';
    return assessment('unknown', 'investigate', 'The word done, and no response.', word);
  }
  const word = 'Done, with the response that says why.';
  const ticket = isObject(response) ? Number(response.ticket_id) : Number.NaN;
  if (row.cells.mode !== 'external' && tickets !== null && !tickets.includes(ticket)) {
    const survived = `A response that names ticket ${ticket}, and a receiver that has no such ticket of this intent.`;
    return assessment('unknown', 'investigate', survived, word);
  }
  if ((tickets ?? []).length > 1) {
    const survived = `A response that names ticket ${ticket}, and ${tickets?.length} tickets of one intent.`;
    return assessment('confirmed', 'investigate', survived, word);
  }
  const survived = 'A stored response that names this key, this caller and this payload.';
  return assessment('confirmed', 'none', survived, word);
}

const WORDS: Record<string, string> = {
  absent: 'A request without an outbox row: accepted, and nothing will send it.',
  pending: 'Pending, never claimed.',
  inflight: 'In flight: claimed, and not heard of since. That says nothing about the ticket.',
  unknown: 'Unknown: the record says that it cannot say.',
  blocked: 'Blocked: no further sending.',
};

function byState(view: View): Assessment {
  const state = view.row.cells.state as State | 'absent';
  if (state === 'done') return done(view);
  const word = WORDS[state] as string;
  if (view.proven) {
    const survived = `A receipt of this key that agrees with ticket ${view.proof?.cells.ticket}.`;
    return assessment('confirmed', state === 'blocked' ? 'investigate' : 'reconcile', survived, word);
  }
  switch (state) {
    case 'absent':
      return assessment('absent', 'investigate', 'A request without an outbox row.', word);
    case 'pending':
      return assessment('absent', 'retry-same-key', 'The intent, never claimed.', word);
    case 'unknown':
      return assessment('unknown', 'investigate', 'That the tool may have been called.', word);
    case 'blocked': {
      const survived = 'That the receiver refused, or answered with something that is no answer.';
      return assessment('unknown', 'investigate', survived, word);
    }
    default:
      return inflight(view);
  }
}

/** Nothing is recorded at the sender: what then? */
function withoutRow(evidence: Evidence, history: readonly StepRecord[]): Assessment {
  const { caller, key } = history.findLast((record) => record.command === 'receive')?.args ?? {};
  const receipt = receiptOf(evidence, intentId(String(caller), String(key)));
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
  const row = subject(evidence, history);
  if (!row) return withoutRow(evidence, history);
  const intent = intentId(String(row.cells.caller), row.key);
  const proof = receiptOf(evidence, intent);
  const proven = proof?.cells.proves === 'its ticket';
  return byState({ row, mode: row.cells.mode as Mode, proof, proven, tickets: ticketsOf(evidence, intent) });
}
