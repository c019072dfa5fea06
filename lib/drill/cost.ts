/** What a decision cost, in plain words: wrong ones are the lesson. */
import type { Effect, Evidence, TruthChange } from '../evidence/model.ts';
import { panel } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import type { StepRecord } from './model.ts';
import { nextAction } from './operator.ts';
import { intentOf } from './retry.ts';

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

type Noun = { one: string; many: string };

const CHANGE: Noun = { one: 'change', many: 'changes' };

function counted(count: number, { one, many }: Noun): string {
  return `${NUMBERS[count] ?? String(count)} ${count === 1 ? one : many}`;
}

/** A thing that came to be has the lab's word; anything else done to a target is a change of it. */
const nounOf = (lab: Lab, change: TruthChange): Noun =>
  change.from === null && lab.makes ? lab.makes : CHANGE;

/** Repeated effects: more than one of a kind for one intent, a retry under a fresh key included. */
function repeated(lab: Lab, evidence: Evidence): string[] {
  const counts = new Map<string, { noun: Noun; count: number }>();
  for (const change of evidence.truth) {
    if (change.operation === null) continue;
    const noun = nounOf(lab, change);
    const key = `${intentOf(change.operation)}\n${noun.one}`;
    counts.set(key, { noun, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()]
    .filter(({ count }) => count > 1)
    .map(({ noun, count }) => `${counted(count, noun)} for one intent`);
}

/** A change came under a key of its own that a retry had made up: the lab counts it as an intent like any other. */
export function hasFreshKey(records: readonly StepRecord[]): boolean {
  const changes = records.at(-1)?.evidence?.truth ?? [];
  return changes.some(({ operation }) => operation !== null && intentOf(operation) !== operation);
}

function missing(lab: Lab, evidence: Evidence, effect: Effect, open: boolean): string[] {
  const [record] = panel(evidence, 'operation').rows;
  if (!record || open || evidence.truth.length > 0) return [];
  const noun = (lab.makes ?? CHANGE).one;
  if (effect === 'confirmed') return [`no ${noun}, and a record that says there is one`];
  return effect === 'unknown' ? [`no ${noun}, and a record that forbids sending again`] : [];
}

/** A receipt names the change's operation, with the digest that the record of it has, where both have one. */
function hasReceipt({ operation }: TruthChange, evidence: Evidence): boolean {
  if (operation === null) return false;
  const recorded = panel(evidence, 'operation').rows.find(({ key }) => key === operation)?.cells.digest;
  return panel(evidence, 'receipts').rows.some(
    ({ key, cells }) =>
      (key === operation || Object.values(cells).includes(operation)) &&
      (recorded === undefined || cells.digest === undefined || cells.digest === recorded),
  );
}

/** What stays unknown although something was changed. */
function unattributed({ truth, ...evidence }: Evidence, effect: Effect): string[] {
  if (effect !== 'unknown' || truth.length === 0) return [];
  const proven = truth.every((change) => hasReceipt(change, { ...evidence, truth }));
  return [proven ? 'a change with a receipt that nobody looked at' : 'a change nobody can attribute'];
}

/** True where a correct operator would still go on: what it costs is not known before somebody does. */
export function leftOpen(lab: Lab, records: readonly StepRecord[]): boolean {
  return records.at(-1)?.evidence != null && nextAction(lab, records) !== null;
}

/**
 * Costs at the end of a run, in plain words, judged by what really happened.
 *
 * @param records the steps so far
 * @returns nothing where no one has to pay: one intent, one effect, and evidence for it
 * @throws whatever the lab's assessment throws for evidence that no lab of ours wrote
 */
export function costOf(lab: Lab, records: readonly StepRecord[]): string[] {
  const evidence = records.at(-1)?.evidence;
  if (!evidence) return [];
  const { effect, decision } = lab.assess(records);
  return [
    ...repeated(lab, evidence),
    ...missing(lab, evidence, effect, decision === 'retry-same-key'),
    ...unattributed(evidence, effect),
  ];
}
