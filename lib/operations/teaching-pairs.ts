/** Runs that teach when they stand side by side. */
import { latestFaithful } from '#db/bundles.ts';
import { store } from '#db/open.ts';
import { DrillError } from '../core/errors.ts';
import { runToEnd } from './run-to-end.ts';
import { startRun } from './start-run.ts';

interface Side {
  scenario: string;
  /** Safeguards off besides those of the scenario. */
  without?: string[];
}

export interface TeachingPair {
  id: string;
  title: string;
  /** What to look for. */
  asks: string;
  /** Two to four. */
  sides: Side[];
  /** The step at which they tell most; the last of each if left out. */
  step?: string;
}

export const TEACHING_PAIRS: readonly TeachingPair[] = [
  {
    id: 'ownership',
    title: 'The same target, and one of them can prove whose it is',
    asks: 'Which row permits reconciling?',
    sides: [{ scenario: 'receipt/lost-ack' }, { scenario: 'receipt/ownership-unknown' }],
  },
  {
    id: 'dedupe',
    title: 'The same lost reply: naive and idempotent',
    asks: 'What does the receiver keep in one of them?',
    sides: [{ scenario: 'outbox/naive-lost-ack' }, { scenario: 'outbox/idempotent-lost-ack' }],
  },
  {
    id: 'safeguard',
    title: 'The same drill with two rules and without',
    asks: 'What did the rules prevent?',
    sides: [
      { scenario: 'receipt/lost-ack' },
      { scenario: 'receipt/lost-ack', without: ['receipt-before-retry', 'version-check'] },
    ],
  },
  {
    id: 'places',
    title: 'One procedure, four places to die',
    asks: 'What survived in each?',
    step: 'crashed',
    sides: [
      { scenario: 'receipt/before-intent' },
      { scenario: 'receipt/effect-absent' },
      { scenario: 'receipt/lost-ack' },
      { scenario: 'receipt/after-complete' },
    ],
  },
  {
    id: 'same',
    title: 'The same drill twice',
    asks: 'Is there any difference at all?',
    sides: [{ scenario: 'receipt/lost-ack' }, { scenario: 'receipt/lost-ack' }],
  },
];

/** A run of the scenario that went to its end with its own safeguards, newest first, and not used yet; else a new one. */
async function runOf({ scenario, without = [] }: Side, used: readonly string[]): Promise<string> {
  if (without.length === 0) {
    const known = latestFaithful(store(), scenario, used.length + 1).find((id) => !used.includes(id));
    if (known) return known;
  }
  const { run } = await startRun({ scenario, without });
  await runToEnd({ run, seq: 1 });
  return run;
}

/**
 * Ids of the runs of a pair, in the order of its sides, and the step to look at; what has not been run is run.
 *
 * @throws DrillError `not-found` for an unknown pair; else as `advanceRun`
 */
export async function runPair(id: string): Promise<{ runs: string[]; step: string | null }> {
  const pair = TEACHING_PAIRS.find((candidate) => candidate.id === id);
  if (!pair) throw new DrillError('not-found', 'There is no such pair.');
  const runs: string[] = [];
  for (const side of pair.sides) runs.push(await runOf(side, runs));
  return { runs, step: pair.step ?? null };
}
