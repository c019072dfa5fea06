import { checkSentence } from '../check-sentence.ts';
import {
  beforeAfter,
  cellPair,
  EMPTY_PANEL,
  invariantWords,
  PANEL_NAMES,
  predictionLines,
  type ReportSource,
  reasonLines,
  replayLines,
  shorten,
  stepLines,
  truthLines,
  VERDICT_WORDS,
} from './report-facts.ts';

/** Text that Markdown takes as text: no markup, no table cell too many, no line of its own. */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>#|~$]/g, (mark) => `\\${mark}`)
    .trim();
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => plain(cell) || ' ').join(' | ')} |`;
  return [line(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(line)].join('\n');
}

function comparison(source: ReportSource): string[] {
  const found = beforeAfter(source);
  if (!found) return ['There is no evidence to compare.'];
  return [
    `Before: after step **${plain(found.before)}**. After: after step **${plain(found.after)}**.`,
    ...found.panels.map(({ id, title, columns, diff, unread }) => {
      const name = `### ${PANEL_NAMES[id]} (${plain(title)})`;
      if (diff.rows.length === 0) return `${name}\n\n${plain(unread) || EMPTY_PANEL}`;
      const rows = diff.rows.map((row) => [
        row.key,
        row.kind === 'unseen' ? 'not known' : row.kind,
        ...columns.map((cell) => {
          const { before, after, changed } = cellPair(row, cell);
          if (changed) return `${before} → ${after}`;
          return 'before' in row ? before : after;
        }),
      ]);
      return [name, table(['row', '', ...columns], rows), plain(unread)].filter(Boolean).join('\n\n');
    }),
  ];
}

/** REPORT.md: the case, to be read in any viewer or as plain text. */
export function reportMarkdown(source: ReportSource): string {
  const { journal, lab, scenario } = source;
  const text = scenario.text;
  const predictions = predictionLines(journal);
  const parts = [
    `# ${plain(journal.run.title)}`,
    `**${journal.verdict}**: ${VERDICT_WORDS[journal.verdict]} Lab ${lab.id}, scenario ${scenario.id}.`,
    ...reasonLines(source).map((line) => `- ${plain(line)}`),
    plain(text.question),
    plain(text.story),
    ...(journal.run.without.length > 0
      ? [`The lab was weakened: without ${journal.run.without.map(plain).join(', ')}.`]
      : []),
    ...(journal.run.origin
      ? [`Branched from run ${journal.run.origin.run} after step ${plain(journal.run.origin.label)}.`]
      : []),
    '## Steps',
    table(
      ['#', 'step', 'command', 'fault', 'end', 'reply', 'what was found then'],
      stepLines(source).map((line) => [
        String(line.seq),
        line.label,
        line.command,
        line.fault,
        line.end,
        line.reply,
        line.left,
      ]),
    ),
    '## Before and after',
    ...comparison(source),
    `Effect: ${journal.effect ?? 'not established'}. Decision: ${journal.decision ?? 'none'}.`,
    '## Checks',
    table(
      ['check', 'result', 'figures'],
      journal.checks.map((check) => [checkSentence(check.check), check.result, shorten(check.detail)]),
    ),
    '## Invariants of the lab',
    table(
      ['invariant', 'result', 'figures', 'since'],
      journal.invariants.map((one) => [
        invariantWords(lab, one.id),
        one.declared ? `${one.result} (declared)` : one.result,
        shorten(one.detail),
        one.since ?? '',
      ]),
    ),
    ...(predictions.length > 0
      ? [
          '## Predictions',
          table(
            ['step', 'question', 'predicted', 'was', 'because'],
            predictions.map((line) => [line.step, line.question, line.said, line.was, line.because]),
          ),
        ]
      : []),
    '## What really happened',
    truthLines(source)
      .map((line) => `- ${plain(line)}`)
      .join('\n'),
    '## What follows',
    plain(text.lesson),
    '## Replay',
    `\`\`\`sh\n${replayLines(source).join('\n')}\n\`\`\``,
  ];
  return `${parts.join('\n\n')}\n`;
}
