import type { Metadata } from 'next';
import Link from 'next/link';
import { getLocale, getTranslations } from 'next-intl/server';
import { allScenarios } from '#lib/drill/scenario.ts';
import { labs } from '#lib/labs/registry.ts';
import { listPredictions } from '#lib/operations/list-predictions.ts';
import { listRuns, type RunFilter } from '#lib/operations/list-runs.ts';
import type { RunRow } from '#lib/operations/model.ts';
import { bytes } from '../_ui/figures.ts';
import { Row, rowWords } from './row.tsx';
import { parseRunsParams, type RunsParams, runsQuery, VERDICTS } from './search-params.ts';
import { asTree } from './tree.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('runs'))('title') };
}

async function Filters({ params, locale }: { params: RunsParams; locale: string }) {
  const t = await getTranslations('runs');
  const select = (name: 'lab' | 'scenario' | 'verdict' | 'finished', options: [string, string][]) => {
    const value = params[name];
    const current = typeof value === 'boolean' ? (value ? 'yes' : 'no') : (value ?? '');
    return (
      <label className="grid min-w-0 gap-1">
        {t(`filter.${name}`)}
        <select name={name} defaultValue={current} className="field max-w-64">
          <option value="">{t('any')}</option>
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      </label>
    );
  };
  return (
    <form
      action="/runs"
      aria-label={t('filters')}
      className="mb-4 flex flex-wrap items-end gap-2 text-[13px] text-soft"
    >
      {select(
        'lab',
        labs.map((lab) => [lab.id, lab.title]),
      )}
      {select(
        'scenario',
        allScenarios().map((one) => [one.id, one.text.title]),
      )}
      {select(
        'verdict',
        VERDICTS.map((verdict) => [verdict, t(`verdict.${verdict}`)]),
      )}
      {select('finished', [
        ['yes', t('finished')],
        ['no', t('open')],
      ])}
      <button type="submit" className="button">
        {t('filter.submit')}
      </button>
      {runsQuery({ ...params, page: 1 }) !== '' && (
        <Link href="/runs" className="link self-center py-1">
          {t('clear')}
        </Link>
      )}
    </form>
  );
}

const HEADS = ['run', 'steps', 'verdict', 'decision', 'disk'] as const;

async function Table({ runs }: { runs: RunRow[] }) {
  const words = await rowWords();
  const { t } = words;
  const predictions = listPredictions(runs.map((run) => run.id));
  return (
    <div className="card overflow-hidden">
      <table className="w-full max-md:block">
        <thead className="text-left text-[12.5px] text-faint max-md:sr-only">
          <tr>
            {HEADS.map((name) => (
              <th
                key={name}
                scope="col"
                className={`px-3 py-2 font-normal first:pl-5 ${name === 'disk' ? 'text-right' : ''}`}
              >
                {t(`head.${name}`)}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">{t('head.delete')}</span>
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {asTree(runs).map(({ run, depth }) => (
            <Row
              key={run.id}
              run={run}
              depth={depth}
              predictions={predictions.get(run.id) ?? []}
              words={words}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function Pages({ params, page, pages }: { params: RunsParams; page: number; pages: number }) {
  const t = await getTranslations('runs');
  if (pages === 1) return null;
  const link = (to: number, words: string) =>
    to < 1 || to > pages ? null : (
      <Link href={`/runs${runsQuery({ ...params, page: to })}`} className="button">
        {words}
      </Link>
    );
  return (
    <nav aria-label={t('pages')} className="mt-4 flex items-center justify-center gap-3 text-sm">
      {link(page - 1, t('newer'))}
      <span className="text-soft">{t('page', { page, pages })}</span>
      {link(page + 1, t('older'))}
    </nav>
  );
}

export default async function RunsPage(props: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const params = parseRunsParams(await props.searchParams);
  const filter: RunFilter = {};
  if (params.lab !== null) filter.lab = params.lab;
  if (params.scenario !== null) filter.scenario = params.scenario;
  if (params.verdict !== null) filter.verdict = params.verdict;
  if (params.finished !== null) filter.finished = params.finished;
  const [t, locale, list] = await Promise.all([
    getTranslations('runs'),
    getLocale(),
    listRuns(filter, params.page),
  ]);
  const filtered = runsQuery({ ...params, page: 1 }) !== '';
  return (
    <div className="mx-auto max-w-[1120px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <h1 className="text-[24px] font-[660] tracking-tight sm:text-[28px]">{t('title')}</h1>
      <p className="mt-1 mb-5 flex flex-wrap gap-x-4 text-soft">
        <span>
          {t(filtered ? 'leadFiltered' : 'lead', { count: list.total, size: bytes(list.diskBytes) })}
        </span>
        <Link href="/compare" className="link">
          {t('compare')}
        </Link>
        <Link href="/import" className="link">
          {t('import')}
        </Link>
      </p>
      <Filters params={params} locale={locale} />
      {list.runs.length === 0 ? (
        <p className="card px-5 py-8 text-center text-soft">
          {t(filtered ? 'noneSuch' : 'none')}{' '}
          <Link href="/" className="link">
            {t('toCatalogue')}
          </Link>
        </p>
      ) : (
        <Table runs={list.runs} />
      )}
      <Pages params={params} page={list.page} pages={list.pages} />
    </div>
  );
}
