/** report.html: one page that opens from disk, sends nothing anywhere, runs no script, and prints on A4. */
import { checkSentence } from '../check-sentence.ts';
import { escapeHtml as e } from './escape.ts';
import {
  type BeforeAfter,
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
import { commitMapSvg } from './report-map.ts';
import { REPORT_STYLE } from './report-style.ts';

type Panel = BeforeAfter['panels'][number];

function table(caption: string, head: readonly string[], rows: readonly string[], style = ''): string {
  const cells = head.map((name) => `<th scope="col">${e(name)}</th>`).join('');
  return `<table class="${style}"><caption>${e(caption)}</caption><thead><tr>${cells}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

const row = (cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

const SIGN = { holds: '✓', violated: '✗', unknown: '?', 'in progress': '…' } as const;

function result(value: keyof typeof SIGN, declared = false): string {
  return `<span class="result ${declared ? 'holds' : value.replace(' ', '-')}">${SIGN[value]} ${value}${declared ? ', as declared' : ''}</span>`;
}

const KIND = {
  added: '+ added',
  removed: '− removed',
  changed: '≠ changed',
  same: '= same',
  unseen: '? not known',
} as const;

/** Where a store could not be read, no rows are no finding. */
function emptyPanel(name: string, { unread }: Panel): string {
  return `<h3>${e(name)}</h3>${unread ? note(unread) : `<p class="soft">${EMPTY_PANEL}</p>`}`;
}

function note(unread: string): string {
  return unread ? `<p class="unknown">${e(unread)}</p>` : '';
}

/** History grows downwards: a row a line, and a word that says which are new. */
function historyTable(panel: Panel): string {
  const { id, title, columns, diff, unread } = panel;
  const name = `${PANEL_NAMES[id]} (${title})`;
  if (diff.rows.length === 0) return emptyPanel(name, panel);
  const rows = diff.rows.map((one) => {
    const cells = columns.map((cell) => {
      const { before, after, changed } = cellPair(one, cell);
      if (changed) return `<td><del>${e(before)}</del> <ins>${e(after)}</ins></td>`;
      return `<td>${e('before' in one ? before : after)}</td>`;
    });
    return `<tr class="${one.kind}"><th scope="row">${e(one.key)}</th><td>${KIND[one.kind]}</td>${cells.join('')}</tr>`;
  });
  return table(name, ['row', 'compared', ...columns], rows, `panel ${id}`) + note(unread);
}

/** Everything else is read cell by cell, as it was and as it is. */
function panelTable(found: BeforeAfter, panel: Panel): string {
  const { id, title, columns, diff, unread } = panel;
  const name = `${PANEL_NAMES[id]} (${title})`;
  if (diff.rows.length === 0) return emptyPanel(name, panel);
  const rows = diff.rows.flatMap((one) =>
    columns.map((cell, index) => {
      const { before, after } = cellPair(one, cell);
      const same = before === after;
      const kind = one.kind === 'changed' ? (same ? 'same' : 'changed') : one.kind;
      const head = index === 0 ? `<th scope="rowgroup" rowspan="${columns.length}">${e(one.key)}</th>` : '';
      const now = kind === 'changed' || kind === 'added' ? `<ins>${e(after)}</ins>` : e(after);
      return `<tr class="${kind === 'same' ? '' : 'differs'}">${head}<td>${e(cell)}</td><td>${e(before)}</td><td>${now}</td><td>${KIND[kind]}</td></tr>`;
    }),
  );
  const head = ['row', 'cell', `Before (${found.before})`, `After (${found.after})`, 'compared'];
  return table(name, head, rows, `panel ${id}`) + note(unread);
}

function comparison(source: ReportSource): string {
  const found = beforeAfter(source);
  if (!found) return '<p>There is no evidence to compare.</p>';
  const { effect, decision } = source.journal;
  const panels = found.panels.map((panel) =>
    panel.id === 'events' ? historyTable(panel) : panelTable(found, panel),
  );
  const words = `Effect: ${effect ?? 'not established'}. Decision: ${decision ?? 'none'}.`;
  return `<p>Before: after step <b>${e(found.before)}</b>. After: after step <b>${e(found.after)}</b>. ${e(words)}</p>${panels.join('')}`;
}

function steps(source: ReportSource): string {
  const rows = stepLines(source).map((line) =>
    row(
      [`${line.seq} ${line.label}`, line.command, line.fault || '—', line.end, line.reply, line.left].map(e),
    ),
  );
  return table('Steps', ['step', 'command', 'fault', 'end', 'reply', 'what was found then'], rows);
}

function judgments({ journal, lab }: ReportSource): string {
  const checks = journal.checks.map((check) =>
    row([e(checkSentence(check.check)), result(check.result), e(shorten(check.detail))]),
  );
  const invariants = journal.invariants.map((one) => {
    const declared =
      one.declared !== null && (one.declared === 'violates' ? 'violated' : 'unknown') === one.result;
    const since = one.since ? ` (since ${one.since})` : '';
    return row([
      e(invariantWords(lab, one.id)),
      result(one.result, declared),
      e(shorten(one.detail) + since),
    ]);
  });
  const head = ['invariant', 'result', 'figures'];
  const first = checks.length > 0 ? table('Checks of the scenario', head, checks) : '';
  return first + table('Invariants of the lab, after every step', head, invariants);
}

function predictions({ journal }: ReportSource): string {
  const lines = predictionLines(journal);
  if (lines.length === 0) return '';
  const rows = lines.map((line) => row([line.step, line.question, line.said, line.was, line.because].map(e)));
  const head = ['step', 'question', 'predicted', 'was', 'because'];
  return `<section><h2>Predictions</h2>${table('Predictions', head, rows)}</section>`;
}

function notes({ journal }: ReportSource): string {
  const { without, origin } = journal.run;
  const weak =
    without.length > 0 ? `<p class="warn">The lab was weakened: without ${e(without.join(', '))}.</p>` : '';
  const from = origin ? `<p>Branched from run ${e(origin.run)} after step ${e(origin.label)}.</p>` : '';
  return weak + from;
}

/** The page. Everything that comes from the run is escaped; the policy in its head lets no script run at all. */
export function reportHtml(source: ReportSource): string {
  const { journal, lab, scenario } = source;
  const words = scenario.text;
  const records = journal.steps.map((step) => step.record);
  const reasons = reasonLines(source).map((line) => `<li>${e(line)}</li>`);
  const truth = truthLines(source).map((line) => `<li>${e(line)}</li>`);
  const section = (title: string, body: string) => `<section><h2>${title}</h2>${body}</section>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${e(journal.run.title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<header>
<p class="soft">Recovery drill report. Lab ${e(lab.title)}, scenario ${e(scenario.id)}</p>
<h1>${e(journal.run.title)}</h1>
<p class="question">${e(words.question)}</p>
<p>${result(journal.verdict)} ${VERDICT_WORDS[journal.verdict]}</p>
${reasons.length > 0 ? `<ul>${reasons.join('')}</ul>` : ''}
<p>${e(words.story)}</p>
${notes(source)}
</header>
<main>
${section('What was done', steps(source))}
${section('What committed, and where a process died', `<div class="map">${commitMapSvg(lab, records)}</div>`)}
${section('Before and after', comparison(source))}
${section('Checks', judgments(source))}
${predictions(source)}
${section('What really happened', `<ul>${truth.join('')}</ul>`)}
${section('What follows', `<p>${e(words.lesson)}</p>`)}
${section('Replay', `<pre>${e(replayLines(source).join('\n'))}</pre>`)}
</main>
</body>
</html>
`;
}
