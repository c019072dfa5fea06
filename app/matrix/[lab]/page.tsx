import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import { labs } from '#lib/labs/registry.ts';
import {
  listSweeps,
  type MatrixReport,
  matrixLayer,
  type SweepView,
  shownSweep,
} from '#lib/operations/get-sweep.ts';
import { CellDetail } from '../_parts/cell-detail.tsx';
import { FocusOnHash } from '../_parts/focus-on-hash.tsx';
import { LayerTable } from '../_parts/layer-table.tsx';
import { Layers } from '../_parts/layers.tsx';
import { Progress } from '../_parts/progress.tsx';
import { StartMatrix } from '../_parts/start.tsx';
import { NoSuchSweep, Sweeps } from '../_parts/sweeps.tsx';
import { anchorOf, emptiness, gridOf, placeOf } from '../grid.ts';
import { orderOf } from '../order.ts';
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
  return { title: t('titleOf', { lab: lab.title }) };
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
        {report.may.map(({ procedure, invariant, cells }) => (
          <li key={`${procedure}/${invariant}`}>{t('may', { procedure, invariant, cells })}</li>
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
  const t = await getTranslations('matrix');
  const path = `/matrix/${lab.id}`;
  const deepest = sweep.layers.at(-1)?.depth ?? 1;
  const shown = Math.max(1, params.layer ?? Math.min(deepest, sweep.depth));
  const { cells, baselines, report } = await matrixLayer(sweep.id, shown);
  const tables = lab.procedures.map((procedure) => {
    const trace = baselines.find((baseline) => baseline.procedure === procedure.id)?.reached ?? [];
    const grid = gridOf(procedure.id, shown, cells, orderOf(procedure, lab.boundaries, trace));
    const opened = params.cell === null ? undefined : placeOf(grid, params.cell);
    return { grid, opened, title: procedure.title };
  });
  const back = `${path}${matrixQuery({ ...params, cell: null })}`;
  return (
    <>
      <Progress sweep={sweep} />
      <Layers sweep={sweep} shown={shown} cells={cells} params={params} path={path} />
      {params.cell !== null && !tables.some(({ opened }) => opened) && (
        <p id="cell" tabIndex={-1} role="alert" className="mb-4 text-sm text-soft">
          {t('noSuchCell')}
        </p>
      )}
      {tables.map(({ grid, opened, title }) => (
        <LayerTable
          key={grid.procedure}
          grid={grid}
          title={title}
          path={path}
          params={params}
          empty={emptiness(sweep, shown)}
        >
          {opened && (
            <CellDetail
              cell={opened}
              back={`${back}#${anchorOf(opened)}`}
              sweep={sweep.id}
              lab={lab}
              locale={locale}
            />
          )}
        </LayerTable>
      ))}
      {report && <Report report={report} />}
      <FocusOnHash key={params.cell} />
    </>
  );
}

async function Shown({ lab, params, locale }: { lab: Lab; params: MatrixParams; locale: string }) {
  const path = `/matrix/${lab.id}`;
  const [t, sweep, sweeps] = await Promise.all([
    getTranslations('matrix'),
    shownSweep('matrix', lab.id, params.sweep),
    listSweeps('matrix', lab.id),
  ]);
  return (
    <>
      <Sweeps sweeps={sweeps} shown={sweep?.id} path={path} />
      {sweep && <Matrix lab={lab} sweep={sweep} params={params} locale={locale} />}
      {!sweep && params.sweep !== null && <NoSuchSweep sweeps={sweeps} path={path} />}
      {!sweep && params.sweep === null && <p className="card px-5 py-8 text-center text-soft">{t('none')}</p>}
    </>
  );
}

export default async function MatrixPage(props: Props) {
  const lab = await load(props.params);
  const params = parseMatrixParams(await props.searchParams);
  const [t, locale] = await Promise.all([getTranslations('matrix'), getLocale()]);
  return (
    <div className="mx-auto max-w-[1376px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <p className="flex flex-wrap gap-x-4 text-[13px] text-faint">
        <Link href="/matrix" className="link">
          {t('title')}
        </Link>
        <Link href={`/safeguards/${lab.id}`} className="link">
          {t('toSafeguards')}
        </Link>
      </p>
      <h1 className="my-1 text-[24px] font-[660] tracking-tight sm:text-[28px]">
        {t('titleOf', { lab: lab.title })}
      </h1>
      <p className="mb-5 max-w-[70ch] text-soft">{t('leadOf')}</p>
      <StartMatrix lab={lab} locale={locale} />
      <Shown lab={lab} params={params} locale={locale} />
    </div>
  );
}
