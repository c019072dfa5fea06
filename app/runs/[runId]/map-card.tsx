import { getTranslations } from 'next-intl/server';
import type { StepRecord } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { buildMap } from '../../_ui/commit-map/build.ts';
import { CommitMap } from '../../_ui/commit-map/commit-map.tsx';
import { mapWords } from '../../_ui/commit-map/map-words.ts';

/** The commit map up to the step shown as After, and the same as a list for who reads rather than looks. */
export async function MapCard(props: { steps: readonly StepRecord[]; lab: Lab; locale: string }) {
  const { steps, lab, locale } = props;
  if (steps.length === 0) return null;
  const t = await getTranslations('map');
  const layout = buildMap(lab, steps, mapWords(t), locale);
  return (
    <section aria-label={t('name')} className="card mb-4 px-4 pt-3.5 pb-2 sm:px-5">
      <h2 className="mb-2 text-[13px] font-semibold">{t('title')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide map scrolls, by keyboard too */}
      <section tabIndex={0} aria-label={t('scroll')} className="print-visible overflow-x-auto pb-2">
        <CommitMap layout={layout} name={t('marks')} />
      </section>
    </section>
  );
}
