import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import type { Place } from '#lib/drill/sweep/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { labs } from '#lib/labs/registry.ts';
import { latestSweeps, type MatrixReport, matrixLayer, type SweepView } from '#lib/operations/get-sweep.ts';
import { textOf } from '../../_i18n/locale.ts';
import { CellDetail } from '../_parts/cell-detail.tsx';
import { LayerTable } from '../_parts/layer-table.tsx';
import { Progress } from '../_parts/progress.tsx';
import { StartMatrix } from '../_parts/start.tsx';
import { gridOf } from '../grid.ts';
import { type MatrixParams, matrixQuery, parseMatrixParams } from '../search-params.ts';

interface Props {
  params: Promise<{ lab: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

async function load(params: Props['params']): Promise<Lab> {
  const { lab: id } = await params;
  return labs.find((lab) => lab.id === id) ?? notFound();
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [lab, t, locale] = await Promise.all([load(params), getTranslations('matrix'), getLocale()]);
  return { title: t('titleOf', { lab: textOf(lab.title, locale) }) };
}

async function Layers({
  sweep,
  params,
  path,
  shown,
}: {
  sweep: SweepView;
  params: MatrixParams;
  path: string;
  shown: number;
}) {
  const t = await getTranslations('matrix');
  const link = (change: Partial<MatrixParams>) =>
    `${path}${matrixQuery({ ...params, cell: null, ...change })}`;
  const tab =
    'rounded-full border border-line bg-panel px-3 py-0.5 text-soft hover:text-ink aria-[current]:border-ink aria-[current]:text-ink';
  return (
    <nav aria-label={t('layers')} className="mb-4 flex flex-wrap gap-2 text-[13px]">
      {sweep.layers
        .filter(({ depth }) => depth > 0)
        .map(({ depth }) => (
          <Link
            key={depth}
            href={link({ layer: depth })}
            aria-current={depth === shown ? 'true' : undefined}
            className={tab}
          >
            {t('layer.matrix', { depth })}
          </Link>
        ))}
      <Link href={link({ odd: !params.odd })} aria-current={params.odd ? 'true' : undefined} className={tab}>
        {t('onlyOdd')}
      </Link>
    </nav>
  );
}

async function Report({ report }: { report: MatrixReport }) {
  const t = await getTranslations('matrix');
  const never = report.neverReached.map(({ role, at }) => (role === 'executor' ? at : `${role}/${at}`));
  return (
    <section aria-labelledby="report" className="mb-5 text-sm">
      <h2 id="report" className="text-[13px] font-semibold">
        {t('report')}
      </h2>
      <ul className="mt-1 grid list-disc gap-1 pl-5 text-soft">
        {report.reasons.map((reason) => (
          <li key={reason} className="text-crash">
            {reason}
          </li>
        ))}
        <li>{never.length === 0 ? t('allReached') : t('neverReached', { places: never.join(', ') })}</li>
        {report.may.map(({ procedure, statement, cells }) => (
          <li key={`${procedure}/${statement}`}>{t('may', { procedure, statement, cells })}</li>
        ))}
        <li>{t('executors', report.executors)}</li>
      </ul>
    </section>
  );
}

async function Matrix({
  lab,
  sweep,
  params,
  locale,
}: {
  lab: Lab;
  sweep: SweepView;
  params: MatrixParams;
  locale: string;
}) {
  const path = `/matrix/${lab.id}`;
  const deepest = sweep.layers.at(-1)?.depth ?? 1;
  const shown = Math.max(1, params.layer ?? Math.min(deepest, sweep.depth));
  const { cells, report } = await matrixLayer(sweep.id, shown);
  const opened = cells.find(({ key }) => key === params.cell);
  const trace = (id: string): Place[] => {
    const known = report?.baselines.find((baseline) => baseline.id === id)?.reached;
    return known ?? cells.filter(({ procedure }) => procedure === id).map(({ faults }) => faults[0] as Place);
  };
  return (
    <>
      <Progress sweep={sweep} />
      <Layers sweep={sweep} params={params} path={path} shown={shown} />
      {opened && <CellDetail sweep={sweep.id} cell={opened} lab={lab} locale={locale} />}
      {lab.procedures.map(({ id, title }) => (
        <LayerTable
          key={id}
          grid={gridOf(id, shown, cells, trace(id), params.odd)}
          title={textOf(title, locale)}
          path={path}
          params={params}
        />
      ))}
      {report && <Report report={report} />}
    </>
  );
}

export default async function MatrixPage(props: Props) {
  const lab = await load(props.params);
  const params = parseMatrixParams(await props.searchParams);
  const [t, locale, sweeps] = await Promise.all([
    getTranslations('matrix'),
    getLocale(),
    latestSweeps('matrix', lab.id),
  ]);
  const sweep = sweeps.find(({ id }) => id === params.sweep) ?? sweeps[0];
  return (
    <div className="mx-auto max-w-[1376px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <p className="flex flex-wrap gap-x-4 text-[13px] text-faint">
        <Link href="/matrix" className="link">
          {t('title')}
        </Link>
        <Link href={`/mechanisms/${lab.id}`} className="link">
          {t('toMechanisms')}
        </Link>
      </p>
      <h1 className="my-1 text-[24px] font-[660] tracking-tight sm:text-[28px]">
        {t('titleOf', { lab: textOf(lab.title, locale) })}
      </h1>
      <p className="mb-5 max-w-[70ch] text-soft">{t('leadOf')}</p>
      <StartMatrix lab={lab} locale={locale} />
      {sweep ? (
        <Matrix
          lab={lab}
          sweep={sweep}
          params={{ ...params, sweep: params.sweep && sweep.id }}
          locale={locale}
        />
      ) : (
        <p className="card px-5 py-8 text-center text-soft">{t('none')}</p>
      )}
    </div>
  );
}
