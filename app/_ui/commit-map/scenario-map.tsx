import { getLocale, getTranslations } from 'next-intl/server';
import type { Scenario } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { ScrollX } from '../scroll-x.tsx';
import { CommitMap } from './commit-map.tsx';
import { previewMap } from './preview.ts';
import { focusOf, UNNAMED } from './size.ts';

interface Props {
  scenario: Scenario;
  lab: Lab;
  /** Heading of a section of its own; without one the map stands in somebody else's. */
  title?: string;
  className?: string;
}

/** Where a scenario stops its process, drawn before anything has run; nothing where it stops none. */
export async function ScenarioMap({ scenario, lab, title, className }: Props) {
  const [t, locale] = await Promise.all([getTranslations('map'), getLocale()]);
  const layout = previewMap(
    lab,
    scenario,
    {
      process: t('process'),
      stopped: (at) => t('willDie', { at }),
      held: (at) => t('willBeHeld', { at }),
      raced: (executors, at) => t('willRace', { executors, at }),
      commit: (label, store) => t('willCommit', { label, store }),
      never: (label, store) => t('neverSpoken', { label, store }),
    },
    locale,
  );
  if (!layout) return null;
  const map = (
    <ScrollX name={t('scroll')} {...focusOf(layout)}>
      <CommitMap layout={layout} name={t('name')} heights={UNNAMED} />
    </ScrollX>
  );
  if (title === undefined) return map;
  return (
    <section aria-label={title} className={className}>
      <h2 className="mb-2 text-[13px] font-semibold">{title}</h2>
      {map}
    </section>
  );
}
