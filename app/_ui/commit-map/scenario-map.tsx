import { getLocale, getTranslations } from 'next-intl/server';
import type { Scenario } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { CommitMap } from './commit-map.tsx';
import { previewMap } from './preview.ts';

/** Where a scenario stops its process, drawn before anything has run; nothing where it stops none. */
export async function ScenarioMap({ scenario, lab }: { scenario: Scenario; lab: Lab }) {
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
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide map scrolls, by keyboard too
    <section tabIndex={0} aria-label={t('scroll')} className="overflow-x-auto">
      <CommitMap layout={layout} name={t('name')} />
    </section>
  );
}
