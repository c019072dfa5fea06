import { getTranslations } from 'next-intl/server';
import type { PanelDiff } from '#lib/evidence/diff.ts';
import { gapsOf } from '#lib/evidence/gaps.ts';
import { PANEL_IDS, type PanelId, panel, type Row } from '#lib/evidence/model.ts';
import { shorten, show } from '../../_ui/step-facts.ts';
import { Beside } from './beside.tsx';
import {
  type Change,
  Closed,
  type ColumnProps,
  changeBetween,
  differences,
  type Side,
  SQUARE,
} from './evidence.tsx';
import { GapNote, headline, type Line, linesOf } from './panel-body.tsx';

type T = Awaited<ReturnType<typeof getTranslations<'evidence'>>>;

/** From the last row figures are read, not digests: what is a number or a yes or no, where rows are few, and what has changed. */
function shownCells(row: Row, skip: string | null, was: Line['was'], few: boolean): string[] {
  return Object.keys(row.cells).filter((name) => {
    const value = row.cells[name];
    const plain = few && (typeof value === 'number' || typeof value === 'boolean');
    return name !== skip && (name in was || plain);
  });
}

/** More rows than this stand beside one another, and none of them is large. */
const FEW = 3;

/** A message has no kind: it is known by its method, else by whatever it says first. */
function eventCell(row: Row, columns: readonly string[]): string | null {
  const known = ['kind', 'event', 'method'].find((name) => typeof row.cells[name] === 'string');
  return known ?? headline('events', row, columns);
}

function CondensedRow({ line, id, columns, loud, few, t }: RowProps) {
  const { row, was } = line;
  const cell = id === 'events' ? eventCell(row, columns) : headline(id, row, columns);
  const mark = (name: string) => (loud && name in was ? 'rounded-md bg-mark px-1' : '');
  const value = (name: string) => (
    <>
      {loud && name in was && <span className="sr-only">{t('changedFrom', { was: was[name] ?? '' })}</span>}
      <span className={mark(name)}>{shorten(show(row.cells[name]))}</span>
    </>
  );
  if (id === 'events') {
    return (
      <>
        <span className="text-faint">{row.key}</span> {cell && value(cell)}
      </>
    );
  }
  return (
    <>
      {cell && (
        <strong className={`mr-2 leading-tight font-semibold ${few ? 'text-[1.25em]' : ''}`}>
          {value(cell)}
        </strong>
      )}
      <span className="font-mono text-[0.8em] wrap-anywhere text-soft">
        <span className="inline-block">{row.key}</span>
        {shownCells(row, cell, was, few).map((name) => (
          <span key={name} className="ml-2.5 inline-block">
            <span className="text-faint">{name}</span> {value(name)}
          </span>
        ))}
      </span>
    </>
  );
}

interface RowProps {
  line: Line & { row: Row };
  id: PanelId;
  columns: readonly string[];
  /** What changed is marked: in After alone. */
  loud: boolean;
  few: boolean;
  t: T;
}

function Body({ side, id, diff, t }: { side: Side; id: PanelId; diff: PanelDiff | null; t: T }) {
  if (!side.evidence) return <p className="text-faint">{t(side.step ? 'notRead' : 'nothingRead')}</p>;
  if (side.closed.includes(id)) return <Closed />;
  const found = panel(side.evidence, id);
  const loud = side.name === 'after';
  const rows = linesOf(found, diff, side.name).filter((line) => line.row !== null) as RowProps['line'][];
  const few = id !== 'events' && rows.length <= FEW;
  const gaps = gapsOf(side.evidence, id, side.stores);
  if (rows.length === 0 && gaps.length > 0) {
    return (
      <>
        <strong className="text-unknown">{t('notKnown')}</strong> <GapNote gaps={gaps} t={t} />
      </>
    );
  }
  if (rows.length === 0)
    return <p className="text-faint">{id === 'receipts' ? <strong>0</strong> : t('empty')}</p>;
  return (
    <div className={id === 'receipts' ? 'flex items-baseline gap-2' : ''}>
      {id === 'receipts' && gaps.length === 0 && (
        <strong className="text-[1.25em] leading-tight">{rows.length}</strong>
      )}
      <GapNote gaps={gaps} t={t} />
      <ol
        className={`min-w-0 ${few ? '' : 'flex flex-wrap gap-x-4'} ${id === 'events' ? 'font-mono text-[0.8em]' : ''}`}
      >
        {rows.map((line) => (
          <li
            key={line.key}
            className={loud && line.kind === 'added' ? 'w-fit rounded-md bg-mark px-1' : undefined}
          >
            <CondensedRow line={line} id={id} columns={found.columns} loud={loud} few={few} t={t} />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface PanelProps {
  side: Side;
  id: PanelId;
  diff: PanelDiff | null;
  change: Change | null;
  t: T;
}

function Panel({ side, id, diff, change, t }: PanelProps) {
  const heading = `${side.name}-${id}`;
  return (
    <section
      aria-labelledby={heading}
      className="min-w-0 border-t border-line-soft px-3 py-1.5 md:border-l md:border-l-line-soft"
    >
      {change && change.kind !== 'same' && (
        <p className="float-right pl-3 text-[0.75em] font-semibold text-unknown">{change.text}</p>
      )}
      <h3 id={heading} className="text-[0.8em] font-semibold md:sr-only">
        {t(`panel.${id}`)}
      </h3>
      <Body side={side} id={id} diff={diff} t={t} />
      {!side.closed.includes(id) && <Beside {...side.beside[id]} size="room" />}
    </section>
  );
}

function Column({ side, diffs, changes, t }: ColumnProps) {
  return (
    <section
      aria-label={t(side.name)}
      className="min-w-0 border-line max-md:[&+&]:border-t-4 md:row-span-5 md:grid md:grid-rows-subgrid"
    >
      <div className="flex items-baseline gap-2.5 px-3 py-1 text-[0.8em] text-soft md:border-l md:border-line-soft">
        <h2 className="font-semibold text-ink">{t(side.name)}</h2>
        <span>{side.step ? `${side.step.number} · ${side.step.note}` : t('noStep')}</span>
      </div>
      {PANEL_IDS.map((id, index) => (
        <Panel
          key={id}
          side={side}
          id={id}
          diff={diffs?.[index] ?? null}
          change={changes[index] ?? null}
          t={t}
        />
      ))}
    </section>
  );
}

/** Before and After for a room: a row a line, the same regions as on the drill page. */
export async function ProjectorPanels({ before, after }: { before: Side; after: Side }) {
  const t = await getTranslations('evidence');
  const diffs = differences(before, after);
  const changes = PANEL_IDS.map((_, index) => changeBetween(before, after, diffs?.[index] ?? null, t));
  return (
    <div className="card overflow-hidden md:grid md:grid-cols-[9em_minmax(0,1fr)_minmax(0,1fr)] md:grid-rows-[auto_repeat(4,auto)]">
      <div aria-hidden="true" className="hidden md:row-span-5 md:grid md:grid-rows-subgrid">
        <div />
        {PANEL_IDS.map((id) => (
          <div key={id} className="border-t border-line-soft px-3 py-2 text-[0.8em] font-semibold">
            <span className={`mr-2 inline-block size-2 rounded-xs ${SQUARE[id]}`} />
            {t(`panel.${id}`)}
          </div>
        ))}
      </div>
      <Column side={before} diffs={diffs} changes={[]} t={t} />
      <Column side={after} diffs={diffs} changes={changes} t={t} />
    </div>
  );
}
