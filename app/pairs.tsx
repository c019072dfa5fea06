import { getTranslations } from 'next-intl/server';
import { TEACHING_PAIRS } from '#lib/operations/teaching-pairs.ts';
import { PairForm } from './pair-form.tsx';

/** Runs that teach when they stand side by side; what has not been run is run first. */
export async function Pairs() {
  const t = await getTranslations('pairs');
  return (
    <details className="mb-8 -mt-4">
      <summary className="text-sm">
        <span className="font-[560]">{t('title')}</span> <span className="text-soft">{t('lead')}</span>
      </summary>
      <ul className="card mt-2 overflow-hidden">
        {TEACHING_PAIRS.map(({ id, title, asks }) => (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-5 gap-y-2 border-t border-line-soft px-4 py-3.5 first:border-0 sm:px-5"
          >
            <div className="min-w-0 flex-1 basis-60">
              <h2 className="font-[560]">{title}</h2>
              <p className="text-[13.5px] text-soft">{asks}</p>
            </div>
            <PairForm pair={id} title={title} texts={{ button: t('compare'), working: t('working') }} />
          </li>
        ))}
      </ul>
    </details>
  );
}
