import type { getTranslations } from 'next-intl/server';
import type { PanelDiff, RowDiff } from '#lib/evidence/diff.ts';
import type { Gap } from '#lib/evidence/gaps.ts';
import { type Headlines, headlineOf } from '#lib/evidence/headline.ts';
import type { Panel, PanelId, Row } from '#lib/evidence/model.ts';
import { shorten, show } from '../../_ui/step-facts.ts';

type T = Awaited<ReturnType<typeof getTranslations<'evidence'>>>;

/** The cell that a row is read by; the others stand below it. */
export function headline(id: PanelId, row: Row, columns: readonly string[]): string | null {
  if (id === 'receipts') return null;
  if (id === 'target') return 'version' in row.cells ? 'version' : null;
  const wanted = id === 'operation' ? ['status', 'state'] : ['kind', 'event'];
  return wanted.find((name) => name in row.cells) ?? columns.find((name) => name in row.cells) ?? null;
}

export interface Line {
  key: string;
  /** null: a place kept empty, so that rows stand beside each other in both columns. */
  row: Row | null;
  kind: RowDiff['kind'];
  was: Record<string, string>;
}

export function linesOf(panel: Panel, diff: PanelDiff | null, side: 'before' | 'after'): Line[] {
  if (!diff) return panel.rows.map((row) => ({ key: row.key, row, kind: 'same', was: {} }));
  return diff.rows.map((entry): Line => {
    const { key, kind } = entry;
    const row =
      side === 'before' ? ('before' in entry ? entry.before : null) : 'after' in entry ? entry.after : null;
    const cells = entry.kind === 'changed' ? entry.cells : [];
    const was = Object.fromEntries(cells.map(({ cell, before }) => [cell, show(before)]));
    return { key, row, kind, was };
  });
}

function Value({ text, was, loud, t }: { text: string; was: string | undefined; loud: boolean; t: T }) {
  if (was === undefined) return <span title={text}>{shorten(text)}</span>;
  return (
    <>
      <span className="sr-only">{t('changedFrom', { was })}</span>
      <span title={text} className={loud ? 'rounded-md bg-mark px-1.5 py-px' : 'rounded bg-mark px-1'}>
        {shorten(text)}
      </span>
    </>
  );
}

interface RowProps {
  line: Line & { row: Row };
  panel: Panel;
  side: 'before' | 'after';
  stores: boolean;
  t: T;
}

function Cells({ line, panel, side, skip, t }: Omit<RowProps, 'stores'> & { skip: string | null }) {
  const { row } = line;
  const names = [...panel.columns, ...Object.keys(row.cells).filter((name) => !panel.columns.includes(name))];
  const shown = names.filter((name) => name !== skip && name in row.cells && row.cells[name] !== '');
  if (shown.length === 0) return null;
  return (
    <dl className="flex flex-wrap gap-x-3 gap-y-0.5 font-mono text-[12.5px] text-soft">
      {shown.map((name) => (
        <div key={name} className="flex min-w-0 gap-1.5">
          <dt className="text-faint">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">
            <Value
              text={show(row.cells[name])}
              was={side === 'after' ? line.was[name] : undefined}
              loud={false}
              t={t}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Mark({ kind, side, t }: { kind: RowDiff['kind']; side: 'before' | 'after'; t: T }) {
  if (kind === 'added' && side === 'after')
    return <span className="text-[12px] font-semibold text-unknown">{t('rowAdded')}</span>;
  if (kind === 'removed' && side === 'before')
    return <span className="text-[12px] font-semibold text-unknown">{t('rowRemoved')}</span>;
  return null;
}

function BigRow({ line, panel, side, stores, t }: RowProps) {
  const { row } = line;
  const cell = headline(panel.id, row, panel.columns);
  const added = line.kind === 'added' && side === 'after';
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-2.5">
        {cell && (
          <span className="text-[19px] leading-7 font-semibold tracking-tight wrap-anywhere">
            <Value
              text={show(row.cells[cell])}
              was={side === 'after' ? (line.was[cell] ?? (added ? '—' : undefined)) : undefined}
              loud
              t={t}
            />
          </span>
        )}
        <Mark kind={line.kind} side={side} t={t} />
        {stores && <span className="text-[12px] text-faint">{row.store}</span>}
      </div>
      <p className="font-mono text-[12.5px] wrap-anywhere text-soft">{row.key}</p>
      <Cells line={line} panel={panel} side={side} skip={cell} t={t} />
    </>
  );
}

/** A receipt: what it is for, then what it says. */
function ReceiptRow({ line, panel, side, stores, t }: RowProps) {
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2 font-mono text-[12.5px]">
        <span className="wrap-anywhere">{line.row.key}</span>
        {stores && <span className="font-sans text-[12px] text-faint">{line.row.store}</span>}
        <Mark kind={line.kind} side={side} t={t} />
      </p>
      <Cells line={line} panel={panel} side={side} skip={null} t={t} />
    </>
  );
}

/** Cells that need no name beside them. */
const PLAIN = new Set(['detail', 'operation', 'key']);

/** An event: its kind, and the rest of it in one line. The operation is named where there are several. */
function EventRow({ line, panel, side, stores, t }: RowProps) {
  const { row } = line;
  const cell = headline(panel.id, row, panel.columns);
  const several = new Set(panel.rows.map((one) => JSON.stringify(one.cells.operation))).size > 1;
  const rest = Object.keys(row.cells).filter(
    (name) =>
      name !== cell &&
      row.cells[name] !== '' &&
      row.cells[name] !== null &&
      (several || name !== 'operation'),
  );
  const value = (name: string) => (
    <Value
      text={show(row.cells[name])}
      was={side === 'after' ? line.was[name] : undefined}
      loud={false}
      t={t}
    />
  );
  return (
    <div className="flex gap-2.5 font-mono text-[12.5px]">
      <span className="min-w-4 shrink-0 text-right text-faint">{row.key}</span>
      <p className="min-w-0 wrap-anywhere text-soft">
        {cell && <span className="mr-2 font-medium text-ink">{value(cell)}</span>}
        {rest.map((name) => (
          <span key={name} className="mr-2">
            {!PLAIN.has(name) && <span className="text-faint">{name} </span>}
            {value(name)}
          </span>
        ))}
        {stores && <span className="mr-2 font-sans text-[12px] text-faint">{row.store}</span>}
        <span className="font-sans">
          <Mark kind={line.kind} side={side} t={t} />
        </span>
      </p>
    </div>
  );
}

/** Which stores could not be read: what lay in them is not known, which is not the same as nothing. */
export function GapNote({ gaps, t }: { gaps: readonly Gap[]; t: T }) {
  return gaps.map(({ store, file, problem }) => (
    <p key={store} className="text-[0.87em] wrap-anywhere text-unknown">
      {t(`gap.${problem}`, { file })}
    </p>
  ));
}

interface CountProps {
  panel: Panel;
  gaps: readonly Gap[];
  headlines: Headlines | undefined;
  t: T;
}

/** A number of rows is said only where every store was read that may hold one. */
function Count({ panel, gaps, headlines, t }: CountProps) {
  const { id, rows, columns } = panel;
  const big = 'text-[19px] leading-7 font-semibold tracking-tight';
  if (gaps.length > 0)
    return <p className={`${big} text-unknown`}>{t(rows.length === 0 ? 'notKnown' : 'partlyKnown')}</p>;
  const words = headlineOf(panel, headlines);
  // One row that is read by its own large cell needs no headline over it.
  const itself =
    (id === 'operation' || id === 'target') && rows.length === 1 && headline(id, rows[0] as Row, columns);
  if (words && rows.length > 0 && !itself) return <p className={big}>{words}</p>;
  if (id === 'events') return rows.length === 0 ? <p className="text-sm text-faint">{t('empty')}</p> : null;
  const counted =
    id === 'receipts' ||
    (id === 'target' && !(rows.length === 1 && columns.includes('version'))) ||
    (id === 'operation' && rows.length === 0);
  return counted ? <p className={big}>{rows.length}</p> : null;
}

/** What stands in sight where nothing has changed. */
const IN_SIGHT = 3;

/** What changed stands in sight; of what did not, no more than a few rows, where folding the others is worth it. */
function folded(lines: readonly Line[], compared: boolean): { first: Line[]; rest: Line[] } {
  const same = lines.filter(({ kind }) => kind === 'same');
  const kept = Math.max(1, IN_SIGHT - (lines.length - same.length));
  if (!compared || same.length - kept < IN_SIGHT) return { first: [...lines], rest: [] };
  const rest = new Set(same.slice(0, same.length - kept));
  return { first: lines.filter((line) => !rest.has(line)), rest: [...rest] };
}

/** The rows of one panel in one column, with what changed marked. */
export function PanelBody(props: {
  panel: Panel;
  gaps: readonly Gap[];
  headlines?: Headlines | undefined;
  diff: PanelDiff | null;
  side: 'before' | 'after';
  t: T;
}) {
  const { panel, gaps, headlines, diff, side, t } = props;
  const lines = linesOf(panel, diff, side);
  const { first, rest } = folded(lines, diff !== null);
  const stores = new Set(lines.flatMap((line) => (line.row ? [line.row.store] : []))).size > 1;
  const Body = panel.id === 'events' ? EventRow : panel.id === 'receipts' ? ReceiptRow : BigRow;
  const marked = (kind: RowDiff['kind']) =>
    (kind === 'added' && side === 'after') || (kind === 'removed' && side === 'before');
  const list = (some: Line[]) => (
    <ol className="grid gap-1.5">
      {some.map(({ row, ...line }) =>
        row ? (
          <li key={line.key} className={marked(line.kind) ? '-mx-1.5 rounded-md bg-mark px-1.5' : undefined}>
            <Body line={{ ...line, row }} panel={panel} side={side} stores={stores} t={t} />
          </li>
        ) : (
          <li key={line.key} aria-hidden="true" className="hidden text-[13px] text-faint lg:block">
            {line.kind === 'unseen' ? '?' : '—'}
          </li>
        ),
      )}
    </ol>
  );
  return (
    <>
      <Count panel={panel} gaps={gaps} headlines={headlines} t={t} />
      <GapNote gaps={gaps} t={t} />
      {rest.length > 0 && (
        <details className="mb-1 text-[13px]">
          <summary className="text-faint">{rest.length} unchanged</summary>
          {list(rest)}
        </details>
      )}
      {list(first)}
    </>
  );
}
