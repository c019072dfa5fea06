import type { Metadata } from 'next';
import Link from 'next/link';
import { getLocale, getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import { labs } from '#lib/labs/registry.ts';
import { shownSweep } from '#lib/operations/get-sweep.ts';
import { ResultChip } from '../_ui/chip.tsx';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('matrix'))('title') };
}

async function LabCard({ lab, locale }: { lab: Lab; locale: string }) {
  const [t, latest] = await Promise.all([getTranslations('matrix'), shownSweep('matrix', lab.id, null)]);
  const cells = latest?.layers.filter(({ depth }) => depth > 0).reduce((sum, { done }) => sum + done, 0) ?? 0;
  return (
    <li className="card px-4 py-4 sm:px-5">
      <h2 className="font-semibold">{lab.title}</h2>
      <p className="mt-1 text-sm text-soft">
        {t('shape', {
          procedures: lab.procedures.length,
          boundaries: lab.boundaries.length,
          safeguards: lab.safeguards.length,
        })}
      </p>
      <p className="mt-2 flex flex-wrap items-center gap-2 text-sm">
        {latest ? (
          <>
            {latest.verdict && (
              <ResultChip result={latest.verdict}>{t(`verdict.${latest.verdict}`)}</ResultChip>
            )}
            <span className="text-soft">
              {t('latest', { state: t(`state.${latest.state}`), cells, depth: latest.depth })}
            </span>
          </>
        ) : (
          <span className="text-soft">{t('never')}</span>
        )}
      </p>
      <p className="mt-3 flex flex-wrap gap-4 text-sm">
        <Link href={`/matrix/${lab.id}`} className="link">
          {t('toMatrix')}
          <span className="sr-only">: {lab.title}</span>
        </Link>
        <Link href={`/safeguards/${lab.id}`} className="link">
          {t('toSafeguards')}
          <span className="sr-only">: {lab.title}</span>
        </Link>
      </p>
    </li>
  );
}

export default async function MatrixOverview() {
  const [t, locale] = await Promise.all([getTranslations('matrix'), getLocale()]);
  return (
    <div className="mx-auto max-w-[1120px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <h1 className="text-[24px] font-[660] tracking-tight sm:text-[28px]">{t('title')}</h1>
      <p className="mt-1 mb-5 max-w-[70ch] text-soft">{t('lead')}</p>
      <ul className="grid gap-4 md:grid-cols-2">
        {labs.map((lab) => (
          <LabCard key={lab.id} lab={lab} locale={locale} />
        ))}
      </ul>
    </div>
  );
}
