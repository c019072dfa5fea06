/** What both reports of a bundle tell, gathered once. */
import { canonicalJson } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import { diffEvidence, type PanelDiff, type RowDiff } from '../../evidence/diff.ts';
import { type Gap, gapsOf } from '../../evidence/gaps.ts';
import { type Evidence, PANEL_IDS, type PanelId, panel } from '../../evidence/model.ts';
import type { Lab } from '../../labs/contract.ts';
import { endWord } from '../checks.ts';
import type { Scenario, StepRecord } from '../model.ts';
import { reasonWords } from '../reasons.ts';
import { trueChanges } from '../select.ts';
import type { CodeVersion, Journal } from './model.ts';

export interface ReportSource {
  journal: Journal;
  scenario: Scenario;
  lab: Lab;
  code: CodeVersion;
  runtime: { node: string; sqlite: string };
}

export const PANEL_NAMES = {
  operation: 'Operation status',
  target: 'Target version',
  receipts: 'Receipts',
  events: 'Event history',
} as const;

/** A value as a reader wants it: no quotes around a text, a dash for nothing, a digest by its first digits. */
export function show(value: Json | undefined): string {
  if (value === undefined) return '';
  if (value === null) return '—';
  return shorten(typeof value === 'string' ? value : canonicalJson(value));
}

/** The journal has digests in full; nobody reads them in a report. */
export function shorten(text: string): string {
  return text.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, '$1…');
}

/** Several equal ends as one word: "0 (8 times)". */
export function endsOf(record: StepRecord): string {
  const counts = new Map<string, number>();
  for (const end of record.executors) counts.set(endWord(end), (counts.get(endWord(end)) ?? 0) + 1);
  return [...counts].map(([word, count]) => (count === 1 ? word : `${word} (${count} times)`)).join(', ');
}

export function faultOf(record: StepRecord): string {
  const race = record.spec.race ? [`race of ${record.spec.race.executors} at ${record.spec.race.at}`] : [];
  const faults = record.fault.armed.map((fault) => {
    const fired = record.fault.fired.some((one) => canonicalJson(one) === canonicalJson(fault));
    const role = fault.role === 'executor' ? '' : `${fault.role} `;
    return `${role}${fault.action} at ${fault.at}${fault.hit > 1 ? ` (hit ${fault.hit})` : ''}${fired ? '' : ', never reached'}`;
  });
  return [...race, ...faults].join('; ');
}

const ARGUMENT_LENGTH = 60;

export function commandOf(record: StepRecord): string {
  const args = Object.entries(record.spec.args ?? {}).map(([name, value]) => {
    const text = show(value);
    return `${name}=${text.length > ARGUMENT_LENGTH ? `${text.slice(0, ARGUMENT_LENGTH)}…` : text}`;
  });
  return [record.spec.damage ? `damage: ${record.command}` : record.command, ...args].join(' ');
}

export function replyOf(record: StepRecord): string {
  const replies = record.executors.map((end) => {
    if (end.reply === null) return 'no reply';
    const { status, effect, decision } = end.reply;
    return [status, effect, decision].filter((word) => typeof word === 'string').join(', ') || 'a document';
  });
  return [...new Set(replies)].join(' / ') || 'no reply';
}

export interface StepLine {
  seq: number;
  label: string;
  command: string;
  fault: string;
  end: string;
  reply: string;
  /** What was found after it: rows a panel, and changes that really happened. */
  left: string;
}

const GAP_WORDS = {
  missing: 'is missing, and a store that is missing is not an empty one',
  unreadable: 'cannot be read, and what it holds is not known',
  damaged: 'is damaged, and rows of it may be missing here',
} as const satisfies Record<Gap['problem'], string>;

/** What could not be read, as sentences; empty where everything was. */
function gapWords(gaps: readonly Gap[]): string {
  return gaps.map(({ file, problem }) => `${file} ${GAP_WORDS[problem]}.`).join(' ');
}

function leftOf(evidence: Evidence | null, lab: Lab): string {
  if (!evidence) return 'not known: the databases could not be read';
  const [status] = panel(evidence, 'operation').columns;
  const states = panel(evidence, 'operation').rows.map((row) => show(row.cells[status ?? '']));
  const known = (id: PanelId) => gapsOf(evidence, id, lab.stores).length === 0;
  const count = (id: PanelId, word: string) => {
    const rows = panel(evidence, id).rows.length;
    return known(id) ? `${rows} ${word}${rows === 1 ? '' : 's'}` : `${word}s not known`;
  };
  const counts = [count('target', 'target row'), count('receipts', 'receipt'), count('events', 'event')];
  const none = known('operation') ? 'no record' : 'records not known';
  const operation = states.length === 0 ? none : states.slice(0, 4).join(', ');
  return [operation, ...counts].join('; ');
}

export function stepLines({ journal, lab }: ReportSource): StepLine[] {
  return journal.steps.map(({ record }, index) => ({
    seq: index + 1,
    label: record.label,
    command: commandOf(record),
    fault: faultOf(record),
    end: record.state === 'done' ? endsOf(record) : `${record.state}: ${record.error ?? ''}`,
    reply: replyOf(record),
    left: leftOf(record.evidence, lab),
  }));
}

export interface BeforeAfter {
  before: string;
  after: string;
  panels: {
    id: (typeof PANEL_IDS)[number];
    title: string;
    columns: string[];
    diff: PanelDiff;
    unread: string;
  }[];
}

/** The last step at which something died, and the end; in a run without a crash, its first evidence and the end. */
export function beforeAfter({ journal, lab }: ReportSource): BeforeAfter | null {
  const records = journal.steps.map((step) => step.record).filter((record) => record.evidence !== null);
  const last = records.at(-1);
  const crashed = records.findLast((record) => record.fault.fired.length > 0 && record !== last);
  const first = crashed ?? records[0];
  if (!first?.evidence || !last?.evidence) return null;
  const [then, now] = [first.evidence, last.evidence];
  const diffs = diffEvidence(then, now, lab.stores);
  const unread = (evidence: Evidence, id: PanelId, side: string) => {
    const words = gapWords(gapsOf(evidence, id, lab.stores));
    return words && `${side}: ${words}`;
  };
  return {
    before: first.label,
    after: last.label,
    panels: PANEL_IDS.map((id, index) => ({
      id,
      title: panel(now, id).title,
      columns: [...new Set([...panel(then, id).columns, ...panel(now, id).columns])],
      diff: diffs[index] as PanelDiff,
      unread: [unread(then, id, 'Before'), unread(now, id, 'After')].filter(Boolean).join(' '),
    })),
  };
}

export const EMPTY_PANEL = 'No rows, before and after.';

/** A cell of a compared row: as it was, and as it is where that is different. */
export function cellPair(row: RowDiff, cell: string): { before: string; after: string; changed: boolean } {
  const nothing = row.kind === 'unseen' ? '?' : '';
  const before = 'before' in row ? show(row.before.cells[cell]) : nothing;
  const after = 'after' in row ? show(row.after.cells[cell]) : nothing;
  return { before, after, changed: row.kind === 'changed' && before !== after };
}

export interface PredictionLine {
  step: string;
  question: string;
  said: string;
  was: string;
  because: string;
}

export function predictionLines(journal: Journal): PredictionLine[] {
  return journal.steps.flatMap(({ record, prediction }) => {
    if (!prediction) return [];
    const { question, said, was } = prediction;
    const words = (value: Json) =>
      question.options?.find((option) => canonicalJson(option.value) === canonicalJson(value))?.text ??
      show(value);
    return [
      {
        step: record.label,
        question: question.question,
        said: said === null ? 'skipped' : words(said),
        was: words(was),
        because: question.because,
      },
    ];
  });
}

/** Changes that really happened, one line each; kept for judging and never shown to an executor. */
export function truthLines({ journal, lab }: ReportSource): string[] {
  const evidence = journal.steps.at(-1)?.record.evidence;
  if (!evidence) return journal.steps.length === 0 ? [] : ['Not known: the databases could not be read.'];
  const unread = gapWords(gapsOf(evidence, 'target', lab.stores));
  const lines = evidence.truth.map(
    (change) =>
      `${change.target}: ${show(change.from)} to ${show(change.to)}, by ${change.operation ?? change.actor}`,
  );
  if (unread) return [...lines, `${lines.length === 0 ? 'Not known' : 'Known in part'}: ${unread}`];
  return trueChanges(evidence) === 0 ? ['The target was never changed.'] : lines;
}

export function invariantWords(lab: Lab, id: string): string {
  return lab.invariants.find((invariant) => invariant.id === id)?.says ?? id;
}

/** Why the run has its verdict, a line each. */
export const reasonLines = ({ journal, lab }: ReportSource): string[] =>
  journal.reasons.map((reason) => shorten(reasonWords(lab, reason)));

export const VERDICT_WORDS = {
  'in progress': 'Steps of the scenario have not run yet.',
  holds: 'The result is as declared.',
  violated: 'The result is not as declared.',
  unknown: 'Not everything could be judged.',
} as const;

/** How to see the same again, a line each. */
export function replayLines({ code, runtime }: ReportSource): string[] {
  return [
    'npm ci',
    'npm run --silent drill -- replay case.zip',
    'npm run --silent drill -- run scenario.yaml',
    `# written by version ${code.version} (${code.digest.slice(0, 12)}), Node ${runtime.node}, SQLite ${runtime.sqlite}`,
  ];
}
