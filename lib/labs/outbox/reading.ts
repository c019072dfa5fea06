/** How an operator reads the evidence, without the observer and without the external tool's tickets. */
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel, type Row } from '../../evidence/model.ts';
import type { Reading } from '../contract.ts';
import { intentId, type Mode, type State } from './terms.ts';

function reading(
  effect: Reading['effect'],
  decision: Reading['decision'],
  survived: string,
  recordAlone: string,
): Reading {
  return { effect, decision, survived: { en: survived }, recordAlone: { en: recordAlone } };
}

function readable(evidence: Evidence, store: string): boolean {
  return evidence.integrity.find((entry) => entry.store === store)?.quickCheck === 'ok';
}

/** The row that the last step was about: its key, else the one that is there. */
function subject(evidence: Evidence, history: readonly StepRecord[]): Row | undefined {
  const list = panel(evidence, 'operation').rows;
  const key = history.findLast((record) => typeof record.args.key === 'string')?.args.key;
  return list.find((row) => row.key === key) ?? list[0];
}

function inflight(row: Row, proof: Row | undefined): Reading {
  const mode = row.cells.mode as Mode;
  const word = 'In flight: claimed, and not heard of since. That says nothing about the ticket.';
  if (mode === 'external') {
    return reading('unknown', 'investigate', 'A claim. The tool keeps no receipt that could be asked.', word);
  }
  if (mode === 'mark_before') {
    return reading(
      'absent',
      'retry-same-key',
      'A claim that was not yet marked done; sending comes after marking.',
      word,
    );
  }
  if (mode === 'naive') {
    return reading('unknown', 'investigate', 'A claim. No receipt is kept: a retry would be a guess.', word);
  }
  if (proof?.cells.proves === 'its ticket') {
    const survived = `A receipt of this key that agrees with ticket ${proof.cells.ticket}.`;
    return reading('confirmed', 'reconcile', survived, word);
  }
  if (proof) return reading('unknown', 'investigate', `A receipt that proves ${proof.cells.proves}.`, word);
  const survived =
    'A claim, and no receipt. An earlier delivery may still arrive; the receiver will know the key.';
  return reading('unknown', 'retry-same-key', survived, word);
}

function byState(row: Row, proof: Row | undefined): Reading {
  switch (row.cells.state as State | 'absent') {
    case 'absent':
      return reading(
        'absent',
        'investigate',
        'A request without an outbox row.',
        'Accepted, and nothing will send it.',
      );
    case 'pending':
      return reading(
        'absent',
        'retry-same-key',
        'The intent, never claimed.',
        'Pending, attempts 0: no sender has had it.',
      );
    case 'done':
      if (row.cells.response !== null) {
        const survived = 'A stored response that names this key, this caller and this payload.';
        return reading('confirmed', 'none', survived, 'Done, with the response that says why.');
      }
      return reading(
        'unknown',
        'investigate',
        'The word done, and no response.',
        'Done. The word was written before the work.',
      );
    case 'unknown':
      return reading(
        'unknown',
        'investigate',
        'That the tool may have been called.',
        'Unknown: the record says that it cannot say.',
      );
    case 'blocked':
      return reading(
        'unknown',
        'investigate',
        'That the receiver refused, or answered with something that is no answer.',
        'Blocked: no further sending.',
      );
    default:
      return inflight(row, proof);
  }
}

/**
 * Reads the last step as an operator would (README.md, "Who may conclude what from what").
 *
 * @param history records so far; the last one is read
 */
export function readStep(history: readonly StepRecord[]): Reading {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return reading('unknown', 'investigate', 'No evidence was taken.', 'Nothing.');
  if (!readable(evidence, 'sender')) {
    const never = history.every((record) => !record.evidence?.files.some((file) => file.present));
    if (never) return reading('absent', 'none', 'Nothing is there yet.', 'Nothing.');
    return reading(
      'unknown',
      'investigate',
      "The sender's database cannot be read.",
      'Nothing: the record is gone.',
    );
  }
  const row = subject(evidence, history);
  if (!row) {
    const asked = history.some((record) => record.command === 'enqueue');
    if (!asked) return reading('absent', 'none', 'Empty databases.', 'Nothing was asked for.');
    return reading(
      'absent',
      'retry-same-key',
      'No request and no outbox row.',
      'Nothing: the intent was never committed.',
    );
  }
  const intent = intentId(String(row.cells.caller), row.key);
  const proof = panel(evidence, 'receipts').rows.find((receipt) => receipt.key === intent);
  return byState(row, proof);
}
