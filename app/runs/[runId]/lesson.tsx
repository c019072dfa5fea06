import { getTranslations } from 'next-intl/server';
import type { RunView } from '#lib/operations/model.ts';
import { InlineCode } from './inline-code.tsx';

/** What the drill teaches: after the last step, never before. */
export async function Lesson({ run, locale }: { run: RunView; locale: string }) {
  const { scenario } = run;
  if (!scenario || run.steps.length < scenario.steps.length) return null;
  const t = await getTranslations('lesson');
  const text = scenario.text;
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
    </section>
  );
}
