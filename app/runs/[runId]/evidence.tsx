import { getTranslations } from 'next-intl/server';
import { diffPanel, type PanelDiff } from '#lib/evidence/diff.ts';
import { gapsOf } from '#lib/evidence/gaps.ts';
import type { Headlines } from '#lib/evidence/headline.ts';
import { type Evidence, PANEL_IDS, type PanelId, panel } from '#lib/evidence/model.ts';
import type { StoreSpec } from '#lib/labs/contract.ts';
import { Beside, type BesidePanel } from './beside.tsx';
import { PanelBody } from './panel-body.tsx';
import { PinSelect } from './pin-select.tsx';

export interface Side {
  name: 'before' | 'after';
  /** Number and label of the step; null where there is no such step. */
  step: { number: number; label: string; note: string } | null;
  evidence: Evidence | null;
  /** Those that were ever there: what was never created holds nothing, and that is known. */
  stores: readonly StoreSpec[];
  headlines: Headlines | undefined;
  /** Of each panel, where evidence was taken. */
  beside: Record<PanelId, BesidePanel>;
  options: { label: string; text: string; href: string }[];
}

export const SQUARE: Record<PanelId, string> = {
  operation: 'bg-ledger',
  target: 'bg-target',
  receipts: 'bg-receipt',
  events: 'bg-event',
};

/** On paper a plain grid: rows of a subgrid that a page cuts through are printed over one another. */
const ON_PAPER = { before: 'print:col-start-1', after: 'print:col-start-2' } as const;
export const PAPER_ROW: Record<PanelId, string> = {
  operation: 'print:row-start-2',
  target: 'print:row-start-3',
  receipts: 'print:row-start-4',
  events: 'print:row-start-5',
};

type T = Awaited<ReturnType<typeof getTranslations<'evidence'>>>;

export interface Change {
  text: string;
  kind: 'same' | 'changed' | 'unknown';
}

/** How a panel differs; where a store could not be read nobody knows whether it does. */
export function changeWord(diff: PanelDiff, t: T): Change {
  const parts: string[] = [];
  if (diff.added > 0) parts.push(t('added', { count: diff.added }));
  if (diff.removed > 0) parts.push(t('removed', { count: diff.removed }));
  if (diff.changed > 0) parts.push(t('changed', { count: diff.changed }));
  if (!diff.known) {
    const text = parts.length === 0 ? t('differenceUnknown') : [...parts, t('restUnknown')].join(', ');
    return { text, kind: 'unknown' };
  }
  return parts.length === 0 ? { text: t('same'), kind: 'same' } : { text: parts.join(', '), kind: 'changed' };
}

/** What stands beside a panel of After, where there is a step to compare with. */
export function changeBetween(before: Side, after: Side, diff: PanelDiff | null, t: T): Change | null {
  if (diff) return changeWord(diff, t);
  return before.step && after.step ? { text: t('differenceUnknown'), kind: 'unknown' } : null;
}

/** The four differences of two columns; null where one of them has no evidence. */
export function differences(before: Side, after: Side): PanelDiff[] | null {
  if (!before.evidence || !after.evidence) return null;
  const [then, now] = [before.evidence, after.evidence];
  return PANEL_IDS.map((id) =>
    diffPanel(panel(then, id), panel(now, id), {
      before: gapsOf(then, id, before.stores),
      after: gapsOf(now, id, after.stores),
    }),
  );
}

function PanelHeading({
  id,
  panelId,
  words,
  title,
}: {
  id: string;
  panelId: PanelId;
  words: string;
  title: string;
}) {
  return (
    <h3 id={id} className="text-[13px] font-semibold lg:sr-only print:not-sr-only">
      <span aria-hidden="true" className={`mr-2 inline-block size-2 rounded-xs ${SQUARE[panelId]}`} />
      {words}
      <span aria-hidden="true" className="ml-2 font-normal text-faint lg:hidden">
        {title}
      </span>
    </h3>
  );
}

interface PanelProps {
  side: Side;
  id: PanelId;
  diff: PanelDiff | null;
  change: Change | null;
  t: T;
}

function PanelRegion({ side, id, diff, change, t }: PanelProps) {
  const heading = `${side.name}-${id}`;
  return (
    <section
      aria-labelledby={heading}
      className={`min-w-0 border-t border-line-soft px-4 py-3 md:border-l md:border-l-line-soft ${ON_PAPER[side.name]} ${PAPER_ROW[id]}`}
    >
      {change && (
        <p
          className={`float-right pl-3 text-[12.5px] ${change.kind === 'same' ? 'text-faint' : 'font-semibold text-unknown'}`}
        >
          {change.text}
        </p>
      )}
      <PanelHeading
        id={heading}
        panelId={id}
        words={t(`panel.${id}`)}
        title={side.evidence ? panel(side.evidence, id).title : ''}
      />
      {side.evidence ? (
        <>
          <PanelBody
            panel={panel(side.evidence, id)}
            gaps={gapsOf(side.evidence, id, side.stores)}
            headlines={side.headlines}
            diff={diff}
            side={side.name}
            t={t}
          />
          <Beside {...side.beside[id]} />
        </>
      ) : (
        <p className="text-sm text-faint">{t(side.step ? 'notRead' : 'nothingRead')}</p>
      )}
    </section>
  );
}

export interface ColumnProps {
  side: Side;
  diffs: PanelDiff[] | null;
  /** What is said beside each panel: in After alone. */
  changes: (Change | null)[];
  t: T;
}

function Column({ side, diffs, changes, t }: ColumnProps) {
  return (
    <section
      aria-label={t(side.name)}
      className="min-w-0 border-line max-md:[&+&]:border-t-4 md:row-span-5 md:grid md:grid-rows-subgrid print:contents"
    >
      <div
        className={`flex flex-wrap items-center gap-x-2.5 gap-y-1 px-4 py-2.5 text-[13px] text-soft md:border-l md:border-line-soft print:row-start-1 ${ON_PAPER[side.name]}`}
      >
        <h2 className="text-sm font-semibold text-ink">{t(side.name)}</h2>
        {side.step ? (
          <>
            <span className="min-w-0 truncate">
              {side.step.number} · {side.step.note}
            </span>
            <PinSelect
              name={t(side.name === 'before' ? 'pinBefore' : 'pinAfter')}
              value={side.step.label}
              options={side.options}
            />
          </>
        ) : (
          <span>{t('noStep')}</span>
        )}
      </div>
      {PANEL_IDS.map((id, index) => (
        <PanelRegion
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

/** Names of the panels at the left, once for both columns; each region carries its own for who listens. */
function Labels({ evidence, t }: { evidence: Evidence | null; t: T }) {
  return (
    <div aria-hidden="true" className="hidden lg:row-span-5 lg:grid lg:grid-rows-subgrid print:hidden">
      <div />
      {PANEL_IDS.map((id) => (
        <div key={id} className="border-t border-line-soft px-4 py-3 text-[13px] font-semibold">
          <span className={`mr-2 inline-block size-2 rounded-xs ${SQUARE[id]}`} />
          {t(`panel.${id}`)}
          {evidence && <span className="block font-normal text-faint">{panel(evidence, id).title}</span>}
        </div>
      ))}
    </div>
  );
}

/** The four panels of two steps, side by side, row by row. */
export async function EvidencePanels({ before, after }: { before: Side; after: Side }) {
  const t = await getTranslations('evidence');
  const diffs = differences(before, after);
  const changes = PANEL_IDS.map((_, index) => changeBetween(before, after, diffs?.[index] ?? null, t));
  return (
    <div className="card overflow-hidden md:grid md:grid-cols-2 md:grid-rows-[auto_repeat(4,auto)] lg:grid-cols-[164px_minmax(0,1fr)_minmax(0,1fr)] print:grid print:grid-cols-2 print:overflow-visible">
      <Labels evidence={after.evidence ?? before.evidence} t={t} />
      <Column side={before} diffs={diffs} changes={[]} t={t} />
      <Column side={after} diffs={diffs} changes={changes} t={t} />
    </div>
  );
}
