import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { Scenario } from '#lib/drill/model.ts';
import { getScenario } from '#lib/drill/scenario.ts';
import { getLab } from '#lib/labs/registry.ts';
import type { RunView } from '#lib/operations/model.ts';
import { InlineCode } from './inline-code.tsx';

/** The drill after this one in the order of its lab's playlist; null at its end, and for one outside it. */
function nextDrill(id: string, lab: string): Scenario | null {
  const { playlist } = getLab(lab);
  const place = playlist.findIndex(({ scenario }) => scenario === id);
  const following = place === -1 ? undefined : playlist[place + 1];
  return following ? getScenario(following.scenario) : null;
}

/** What the drill teaches: after the last step, never before. */
export async function Lesson({ run, locale }: { run: RunView; locale: string }) {
  const { scenario } = run;
  if (!scenario || run.steps.length < scenario.steps.length) return null;
  const t = await getTranslations('lesson');
  const text = scenario.text;
  const following = nextDrill(scenario.id, scenario.lab);
  return (
    <section aria-labelledby="lesson" className="card px-4 py-3.5 sm:px-5">
      <h2 id="lesson" className="text-[13px] font-semibold">
        {t('title')}
      </h2>
      <p className="mt-1 max-w-[75ch]">
        <InlineCode text={text.lesson} />
      </p>
      {text.understood && (
        <p className="mt-2 text-sm text-soft">
          <span className="font-[550]">{t('understood')}</span> <InlineCode text={text.understood} />
        </p>
      )}
      {following && (
        <p className="no-print mt-3">
          <Link className="button" href={`/scenarios/${following.id}`}>
            Next drill: {following.text.title}
          </Link>
        </p>
      )}
    </section>
  );
}
