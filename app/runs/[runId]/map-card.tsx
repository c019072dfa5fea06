import { getTranslations } from 'next-intl/server';
import type { StepRecord } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { buildMap } from '../../_ui/commit-map/build.ts';
import { CommitMap } from '../../_ui/commit-map/commit-map.tsx';
import { hiddenLab, hiddenWords } from '../../_ui/commit-map/hidden.ts';
import { mapWords } from '../../_ui/commit-map/map-words.ts';
import type { CommitMapLayout } from '../../_ui/commit-map/model.ts';
import { mapRows } from '../../_ui/commit-map/rows.ts';
import { focusOf, gutterOf, RIGHT } from '../../_ui/commit-map/size.ts';
import { ScrollX } from '../../_ui/scroll-x.tsx';

interface Props {
  steps: readonly StepRecord[];
  lab: Lab;
  locale: string;
  /** A question is open: no place of a death, nothing that was never committed. */
  hidden: boolean;
}

/** A drawing of this width, so much smaller, is as wide as the card on A4; its smallest type has seven points. */
const PAPER = { width: 776, scale: 0.85 };
/** Beyond this, what stands in one row could not be read on paper. */
const ILLEGIBLE = 920;

/** The map for paper: one row below the other, each as wide as the sheet. */
async function PaperMap({ layout }: { layout: CommitMapLayout }) {
  const t = await getTranslations('map');
  const beside = gutterOf(layout) + RIGHT;
  return (
    <div className="hidden gap-3 print:grid">
      {mapRows(layout, PAPER.width - beside).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the map is its place
        <div key={index} className="break-inside-avoid [&_svg]:h-auto [&_svg]:max-w-full">
          {row.width + beside > ILLEGIBLE ? (
            <p className="text-soft">{t('tooWide', { step: row.bands[0]?.label ?? '' })}</p>
          ) : (
            <CommitMap layout={row} name={t('marks')} scale={PAPER.scale} />
          )}
        </div>
      ))}
    </div>
  );
}

/** The commit map up to the step shown as After, and the same as a list for who reads rather than looks. */
export async function MapCard({ steps, lab: whole, locale, hidden }: Props) {
  if (steps.length === 0) return null;
  const t = await getTranslations('map');
  const lab = hidden ? hiddenLab(whole) : whole;
  const words = hidden ? hiddenWords(mapWords(t)) : mapWords(t);
  const layout = buildMap(lab, steps, words, locale);
  return (
    <section aria-label={t('name')} className="card mb-4 px-4 pt-3.5 pb-2 sm:px-5">
      <h2 className="mb-2 text-[13px] font-semibold">{t('title')}</h2>
      <ScrollX name={t('scroll')} {...focusOf(layout)} className="no-print">
        <CommitMap layout={layout} name={t('marks')} />
      </ScrollX>
      <PaperMap layout={buildMap(lab, steps, words, locale, 0)} />
    </section>
  );
}
