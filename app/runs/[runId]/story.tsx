import { getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { ScenarioMap } from '../../_ui/commit-map/scenario-map.tsx';
import { InlineCode } from './inline-code.tsx';

/** What is about to happen, in the place of the commit map until there is one. */
export async function Story({ run, lab, locale }: { run: RunView; lab: Lab; locale: string }) {
  if (!run.scenario) return null;
  const t = await getTranslations('drill');
  return (
    <section
      aria-label={t('story')}
      className="card mb-4 grid items-center gap-x-8 gap-y-4 p-5 lg:grid-cols-2"
    >
      <p className="max-w-[62ch] text-[17px]">
        <InlineCode text={run.scenario.text.story} />
      </p>
      <ScenarioMap scenario={run.scenario} lab={lab} />
    </section>
  );
}
