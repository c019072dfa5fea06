/** Runs side by side: steps aligned by label, and the first difference that matters as a sentence. */
import { canonicalJson } from '../core/canonical.ts';
import type { Json } from '../core/json.ts';
import { diffPanel, type RowDiff } from '../evidence/diff.ts';
import { gapsOf, type PanelSource } from '../evidence/gaps.ts';
import { type Evidence, type Panel, type PanelId, panel, type Row } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import type { StepRecord } from './model.ts';

/** A row of the alignment: the step of that label in each run, or null where a run has none. */
export interface AlignedStep {
  label: string;
  steps: (StepRecord | null)[];
  /** Every run has the step, and its evidence is the same to the byte. */
  equal: boolean;
}

/** Labels of all runs, each once: the first run's in their order, the others' where they come behind what they follow. */
export function alignLabels(runs: readonly (readonly string[])[]): string[] {
  const all: string[] = [];
  for (const labels of runs) {
    let at = 0;
    for (const label of labels) {
      const known = all.indexOf(label);
      if (known === -1) all.splice(at++, 0, label);
      else at = Math.max(at, known + 1);
    }
  }
  return all;
}

const same = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** Steps of several runs by label. */
export function alignSteps(runs: readonly (readonly StepRecord[])[]): AlignedStep[] {
  return alignLabels(runs.map((records) => records.map((record) => record.label))).map((label) => {
    const steps = runs.map((records) => records.find((record) => record.label === label) ?? null);
    const [first] = steps;
    const equal = steps.every((step) => step?.evidence && same(step.evidence, first?.evidence));
    return { label, steps, equal };
  });
}

/** True where the runs have the same steps and the same evidence after each, to the byte. */
export function equalToTheByte(runs: readonly (readonly StepRecord[])[]): boolean {
  return alignSteps(runs).every((step) => step.equal);
}

const ORDER = ['target', 'receipts', 'operation', 'events'] as const satisfies readonly PanelId[];

const WORDS: Record<PanelId, { one: string; many: string; all: string }> = {
  target: { one: 'thing at the target', many: 'things at the target', all: 'target' },
  receipts: { one: 'receipt', many: 'receipts', all: 'receipts' },
  operation: { one: 'record', many: 'records', all: 'record' },
  events: { one: 'event', many: 'events', all: 'history' },
};

const show = (value: Json | undefined): string =>
  value === undefined || value === null
    ? 'nothing'
    : typeof value === 'string'
      ? value
      : canonicalJson(value);

type Makes = Lab['makes'];

/** What a panel's rows are called; a target that holds only what the lab's operations make has the lab's word. */
function nouns(found: Panel, makes: Makes): { one: string; many: string } {
  const things = found.id === 'target' && makes && found.rows.every(({ key }) => makes.is(key));
  return things ? makes : WORDS[found.id];
}

function counted(found: Panel, makes: Makes): string {
  const { one, many } = nouns(found, makes);
  if (found.rows.length === 0) return `no ${one}`;
  return found.rows.length === 1 ? `a ${one}` : `${found.rows.length} ${many}`;
}

/** A small thing said whole: "version 2 and true". */
function said(row: Row): string | null {
  const cells = Object.entries(row.cells);
  const plain = cells.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  if (!plain || cells.length === 0 || cells.length > 3) return null;
  return cells
    .map(([name, value]) => (typeof value === 'boolean' ? String(value) : `${name} ${value}`))
    .join(' and ');
}

function sameWords(id: PanelId, found: Panel): string {
  const only = found.rows.length === 1 ? found.rows[0] : undefined;
  const whole = id === 'target' && only ? said(only) : null;
  if (whole) return `Same target, ${whole}.`;
  return id === 'receipts' ? 'Same receipts.' : `Same ${WORDS[id].all}.`;
}

type Names = readonly [string, string];

function rowSentence(id: PanelId, row: RowDiff, [a, b]: Names): string {
  if (row.kind === 'changed') {
    const whole = id === 'target' ? [said(row.before), said(row.after)] : [];
    if (whole[0] && whole[1]) return `The target is at ${whole[0]} in ${a}, at ${whole[1]} in ${b}.`;
    const [cell] = row.cells;
    return `In the ${WORDS[id].all}, ${cell?.cell} of ${row.key} is ${show(cell?.before)} in ${a}, ${show(cell?.after)} in ${b}.`;
  }
  const [has, lacks] = row.kind === 'removed' ? [a, b] : [b, a];
  return `In the ${WORDS[id].all}, ${capital(has)} has ${row.key}, and ${lacks} has not.`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function panelSentence(id: PanelId, a: Panel, b: Panel, names: Names, makes: Makes): string {
  if (a.rows.length !== b.rows.length) {
    const none = (found: Panel) => (found.rows.length === 0 ? 'none' : counted(found, makes));
    const first = a.rows.length === 0 ? counted(a, makes) : none(a);
    const second = a.rows.length === 0 ? counted(b, makes) : none(b);
    return `${capital(names[0])} has ${first}, ${names[1]} has ${second}.`;
  }
  const row = diffPanel(a, b).rows.find((candidate) => candidate.kind !== 'same');
  return row ? rowSentence(id, row, names) : `The ${WORDS[id].all} comes in another order.`;
}

const changes = ({ truth }: Evidence): string =>
  `${truth.length} ${truth.length === 1 ? 'change' : 'changes'}`;

/** Why a panel cannot be compared; null where both were read as a whole. */
function unreadSentence(id: PanelId, sides: readonly [Evidence, Evidence], names: Names, stores: Stores) {
  const where = sides.flatMap((evidence, index) =>
    gapsOf(evidence, id, stores).map(({ file, problem }) => `in ${names[index]}, ${file} is ${problem}`),
  );
  if (where.length === 0) return null;
  return `The ${WORDS[id].all} cannot be compared: ${where.join('; ')}. What it held is not known, which is not the same as nothing.`;
}

type Stores = readonly PanelSource[];

/**
 * The first difference that matters between two pieces of evidence, the target before its receipts, those before the
 * record, the record before the history; with what is the same on the way there.
 *
 * @param names of the two, as they stand in a sentence: "run A", "run B"
 * @param stores of their lab: a panel of a store that one of them could not read is not compared
 * @param makes what the operations of their lab make
 */
export function differenceSentence(
  a: Evidence,
  b: Evidence,
  names: Names = ['run A', 'run B'],
  stores: Stores = [],
  makes?: Makes,
): string {
  if (same(a, b)) return 'The evidence is the same to the byte.';
  const equal: string[] = [];
  for (const id of ORDER) {
    const [left, right] = [panel(a, id), panel(b, id)];
    const unread = unreadSentence(id, [a, b], names, stores);
    if (unread) return [...equal, unread].filter((words) => words !== '').join(' ');
    if (!same(left.rows, right.rows)) {
      const before = equal.filter((words) => words !== '');
      return [...before, panelSentence(id, left, right, names, makes)].join(' ');
    }
    equal.push(left.rows.length === 0 ? '' : sameWords(id, left));
  }
  if (!same(a.truth, b.truth))
    return `Whoever reads the databases sees the same in both; what really happened is not: ${changes(a)} in ${names[0]}, ${changes(b)} in ${names[1]}.`;
  return 'The rows are the same; the files are not in the same state.';
}
