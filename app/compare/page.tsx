import type { Metadata } from 'next';
import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { type Comparison, compareRuns } from '#lib/operations/compare-runs.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { toResult } from '#lib/operations/result.ts';
import { Chooser } from './chooser.tsx';
import { Columns } from './columns.tsx';
import { beyondColumns, type CompareParams, compareQuery, parseCompareParams } from './search-params.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('compare'))('title') };
}

type Compared = ActionResult<{ comparison: Comparison }>;

async function Finding({ comparison }: { comparison: Comparison }) {
  const t = await getTranslations('compare');
  const { equal, sentences, race, runs } = comparison;
  return (
    <div className="card mb-4 px-4 py-4 sm:px-5" role="status">
      {equal ? (
        <p className="text-[17px] text-receipt">
          <span aria-hidden="true">✓ </span>
          {t(runs.every((one) => one.over) ? 'equal' : 'equalSoFar', {
            count: runs[0]?.run.steps.length ?? 0,
          })}
        </p>
      ) : (
        sentences.map((sentence, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is that of its column
          <p key={index} className="text-[17px]">
            {sentence}
          </p>
        ))
      )}
      {race && !equal && <p className="mt-1 text-sm text-soft">{t('race')}</p>}
    </div>
  );
}

async function StepLinks({ comparison, params }: { comparison: Comparison; params: CompareParams }) {
  const t = await getTranslations('compare');
  const link = (step: string | null, words: string, equal: boolean | null) => (
    <li key={words}>
      <Link
        href={`/compare${compareQuery({ ...params, step })}`}
        scroll={false}
        aria-current={(step ?? 'end') === comparison.at ? 'true' : undefined}
        className="inline-block rounded-full border border-line bg-panel px-3 py-0.5 text-soft hover:text-ink aria-[current]:border-ink aria-[current]:text-ink"
      >
        {words}
        {equal !== null && (
          <span className={equal ? 'text-faint' : 'text-unknown'}>
            {' '}
            {t(equal ? 'stepEqual' : 'stepDiffers')}
          </span>
        )}
      </Link>
    </li>
  );
  return (
    <nav aria-label={t('steps')} className="no-print mb-3">
      <ul className="flex flex-wrap gap-1.5 text-[13px]">
        {comparison.labels.map(({ label, equal, in: there }) =>
          link(label, label, there.every(Boolean) ? equal : null),
        )}
        {link(null, t('end'), null)}
      </ul>
    </nav>
  );
}

/** What the URL asks for and this page cannot show. */
async function Unmet(props: { params: CompareParams; beyond: number; comparison: Comparison | null }) {
  const { params, beyond, comparison } = props;
  const t = await getTranslations('compare');
  const { step } = params;
  const unknownStep = comparison !== null && step !== null && step !== 'end' && comparison.at === 'end';
  if (beyond === 0 && !unknownStep) return null;
  return (
    <div className="mb-3 grid gap-1 rounded-[10px] bg-unknown-bg px-4 py-2.5 text-sm text-unknown">
      {beyond > 0 && <p>{t('beyond', { count: beyond })}</p>}
      {unknownStep && <p>{t('unknownStep', { step })}</p>}
    </div>
  );
}

export default async function ComparePage(props: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const given = await props.searchParams;
  const params = parseCompareParams(given);
  const t = await getTranslations('compare');
  const compared: Compared | null =
    params.runs.length === 0
      ? null
      : await toResult(async () => ({ comparison: await compareRuns(params.runs, params.step ?? 'end') }));
  return (
    <div className="mx-auto max-w-[1376px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8 print:p-px">
      <h1 className="text-[24px] font-[660] tracking-tight sm:text-[28px]">{t('title')}</h1>
      <p className="mt-1 mb-5 text-soft">{t('lead')}</p>
      {compared && !compared.ok && (
        <p role="alert" className="mb-4 text-crash">
          {compared.error}
        </p>
      )}
      <Unmet
        params={params}
        beyond={beyondColumns(given)}
        comparison={compared?.ok ? compared.comparison : null}
      />
      {compared?.ok ? (
        <>
          <Finding comparison={compared.comparison} />
          <StepLinks comparison={compared.comparison} params={params} />
          <Columns comparison={compared.comparison} />
          <details className="no-print mt-4">
            <summary className="text-sm font-[550]">{t('change')}</summary>
            <div className="card mt-2 px-4 py-3.5 sm:px-5">
              <Chooser params={params} chosen={compared.comparison.runs.map(({ run }) => run)} />
            </div>
          </details>
        </>
      ) : (
        <Chooser params={params} chosen={[]} />
      )}
    </div>
  );
}
