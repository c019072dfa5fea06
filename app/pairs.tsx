import { getTranslations } from 'next-intl/server';
import { TEACHING_PAIRS } from '#lib/operations/teaching-pairs.ts';
import { PairForm } from './pair-form.tsx';

/** Runs that teach when they stand side by side; what has not been run is run first. */
export async function Pairs() {
  const t = await getTranslations('pairs');
  return (
    <section aria-labelledby="pairs" className="mt-9">
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3.5 gap-y-1">
        <h2 id="pairs" className="text-[17px] font-semibold tracking-tight">
          {t('title')}
        </h2>
        <p className="text-sm text-soft">{t('lead')}</p>
      </header>
      <ul className="card overflow-hidden">
        {TEACHING_PAIRS.map(({ id, title, asks }) => (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-5 gap-y-2 border-t border-line-soft px-4 py-3.5 first:border-0 sm:px-5"
          >
            <div className="min-w-0 flex-1 basis-60">
              <h3 className="font-[560]">{title}</h3>
              <p className="text-[13.5px] text-soft">{asks}</p>
            </div>
            <PairForm pair={id} title={title} texts={{ button: t('compare'), working: t('working') }} />
          </li>
        ))}
      </ul>
    </section>
  );
}
