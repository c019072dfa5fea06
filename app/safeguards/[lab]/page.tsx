import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import { scenariosOf } from '#lib/drill/scenario.ts';
import { columnsOf, togetherOnly, type WeakCell } from '#lib/drill/sweep/safeguards.ts';
import type { Lab, SafeguardSpec } from '#lib/labs/contract.ts';
import { labs } from '#lib/labs/registry.ts';
import { listSweeps, type SweepView, safeguardCells, shownSweep } from '#lib/operations/get-sweep.ts';
import { one } from '../../_ui/figures.ts';
import { ActionForm } from '../../matrix/_parts/action-form.tsx';
import { Progress } from '../../matrix/_parts/progress.tsx';
import { NoSuchSweep, Sweeps } from '../../matrix/_parts/sweeps.tsx';
import { beginSweep } from '../../matrix/actions.ts';

interface Props {
  params: Promise<{ lab: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

async function load(params: Props['params']): Promise<Lab> {
  const { lab: id } = await params;
  return labs.find((lab) => lab.id === id) ?? notFound();
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [lab, t, locale] = await Promise.all([load(params), getTranslations('safeguards'), getLocale()]);
  return { title: t('title', { lab: lab.title }) };
}

async function Start({ lab }: { lab: Lab }) {
  const t = await getTranslations('safeguards');
  return (
    <ActionForm
      action={beginSweep}
      fields={{ kind: 'safeguards', lab: lab.id }}
      button={t('start')}
      working={t('starting')}
      main
      className="mb-5 flex flex-wrap items-end gap-3"
    >
      <label className="grid min-w-0 gap-1 text-[13px] text-soft">
        {t('depth')}
        <select name="depth" defaultValue="1" className="field">
          <option value="1">{t('singles')}</option>
          <option value="2">{t('pairs')}</option>
        </select>
      </label>
    </ActionForm>
  );
}

const nameOf = (column: string, lab: Lab): string =>
  column.replace(`${lab.id}/`, '').replace('matrix:', 'matrix ');

async function Broken({ cell }: { cell: WeakCell | undefined }) {
  const t = await getTranslations('safeguards');
  if (!cell) return <span className="text-faint">{t('notRun')}</span>;
  if (cell.verdict === 'holds') {
    return (
      <>
        <span aria-hidden="true" className="text-faint">
          ·
        </span>
        <span className="sr-only">{t('unnoticed')}</span>
      </>
    );
  }
  if (cell.invariants.length > 0) {
    return cell.invariants.map((id) => (
      <code key={id} className="block whitespace-nowrap text-crash">
        {id}
      </code>
    ));
  }
  return <span className="block max-w-[28ch] min-w-[16ch] text-[12.5px] text-unknown">{cell.reason}</span>;
}

/** One rule, and what came out otherwise without it. */
async function Rule({
  lab,
  safeguard: { name, prevents },
  columns,
  cells,
  locale,
}: {
  lab: Lab;
  safeguard: SafeguardSpec;
  columns: readonly string[];
  cells: readonly WeakCell[];
  locale: string;
}) {
  const t = await getTranslations('safeguards');
  const offAnyway = (column: string) =>
    scenariosOf(lab.id).some(({ id, without }) => id === column && without?.includes(name));
  return (
    <tr className="border-t border-line-soft align-top">
      <th
        scope="row"
        className="min-w-[16ch] bg-panel px-2 py-1.5 text-left font-normal sm:sticky sm:left-0 sm:min-w-[34ch]"
      >
        <code className="block">{name}</code>
        <span className="text-soft">{prevents}</span>
        {cells.length > 0 && (
          <span className="mt-0.5 block text-faint">
            {t('missedIn', { places: cells.filter(({ verdict }) => verdict !== 'holds').length })}
          </span>
        )}
      </th>
      {columns.map((column) => (
        <td key={column} className="px-2 py-1.5">
          {offAnyway(column) ? (
            <span className="text-faint">{t('offAnyway')}</span>
          ) : (
            <Broken cell={cells.find((cell) => cell.column === column)} />
          )}
        </td>
      ))}
    </tr>
  );
}

async function Singles({ lab, cells, locale }: { lab: Lab; cells: readonly WeakCell[]; locale: string }) {
  const t = await getTranslations('safeguards');
  const columns = columnsOf(lab, scenariosOf(lab.id));
  const failing = cells.filter(({ verdict }) => verdict !== 'holds');
  const rules = (column: string) => failing.filter((cell) => cell.column === column).length;
  // What notices most comes first: the rest is a scroll away.
  const noticed = columns.filter((column) => rules(column) > 0).sort((a, b) => rules(b) - rules(a));
  return (
    <section aria-labelledby="singles" className="card mb-5 overflow-hidden">
      <h2 id="singles" className="px-4 pt-3 text-[15px] font-semibold sm:px-5">
        {t('singlesTitle')}
      </h2>
      <p className="px-4 text-sm text-soft sm:px-5">
        {cells.length === 0
          ? t('notBegun')
          : t('columnsShown', { shown: noticed.length, all: columns.length })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
      <section tabIndex={0} aria-label={t('scrolls')} className="relative overflow-x-auto px-3 py-2">
        <table className="text-[12.5px]">
          <thead>
            <tr>
              <th
                scope="col"
                className="bg-panel px-2 py-1 text-left font-normal text-faint sm:sticky sm:left-0"
              >
                {t('without')}
              </th>
              {noticed.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className="px-2 py-1 text-left font-normal whitespace-nowrap text-soft"
                >
                  {nameOf(column, lab)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lab.safeguards.map((safeguard) => (
              <Rule
                key={safeguard.name}
                lab={lab}
                safeguard={safeguard}
                columns={noticed}
                cells={cells.filter((cell) => cell.without[0] === safeguard.name)}
                locale={locale}
              />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

async function Pairs({
  lab,
  pairs,
  singles,
}: {
  lab: Lab;
  pairs: readonly WeakCell[];
  singles: readonly WeakCell[];
}) {
  const t = await getTranslations('safeguards');
  return (
    <section aria-labelledby="pairs" className="card mb-5 px-4 py-3.5 sm:px-5">
      <h2 id="pairs" className="text-[15px] font-semibold">
        {t('pairsTitle')}
      </h2>
      {pairs.length === 0 ? (
        <p className="text-sm text-soft">{t('noPairs')}</p>
      ) : (
        <ul className="mt-1 text-sm">
          {pairs.map((pair) => {
            const only = togetherOnly(pair, singles);
            return (
              <li key={pair.key} className="border-t border-line-soft py-1.5 first:border-0">
                <code className="wrap-anywhere">{pair.without.join(' + ')}</code>
                <span className="text-soft"> · {nameOf(pair.column, lab)} · </span>
                <span className="wrap-anywhere text-crash">
                  {only.length > 0 ? only.join(', ') : pair.reason}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

async function Table({ lab, sweep, locale }: { lab: Lab; sweep: SweepView | null; locale: string }) {
  const t = await getTranslations('safeguards');
  const found = sweep ? await safeguardCells(sweep.id) : null;
  return (
    <>
      {sweep && <Progress sweep={sweep} />}
      {found?.table && found.table.unnoticed.length > 0 && (
        <p role="alert" className="mb-4 text-crash">
          {t('hole', { names: found.table.unnoticed.join(', ') })}
        </p>
      )}
      <Singles lab={lab} cells={found?.singles ?? []} locale={locale} />
      {sweep && sweep.depth > 1 && found?.table && (
        <Pairs lab={lab} pairs={found.pairs} singles={found.singles} />
      )}
    </>
  );
}

export default async function SafeguardsPage(props: Props) {
  const lab = await load(props.params);
  const asked = one((await props.searchParams).sweep) || null;
  const path = `/safeguards/${lab.id}`;
  const [t, locale, sweep, sweeps] = await Promise.all([
    getTranslations('safeguards'),
    getLocale(),
    shownSweep('safeguards', lab.id, asked),
    listSweeps('safeguards', lab.id),
  ]);
  return (
    <div className="mx-auto max-w-[1376px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <p className="flex flex-wrap gap-x-4 text-[13px] text-faint">
        <Link href={`/matrix/${lab.id}`} className="link">
          {t('toMatrix')}
        </Link>
      </p>
      <h1 className="my-1 text-[24px] font-[660] tracking-tight sm:text-[28px]">
        {t('title', { lab: lab.title })}
      </h1>
      <p className="mb-5 max-w-[70ch] text-soft">{t('lead')}</p>
      <Start lab={lab} />
      <Sweeps sweeps={sweeps} shown={sweep?.id} path={path} />
      {!sweep && asked !== null ? (
        <NoSuchSweep sweeps={sweeps} path={path} />
      ) : (
        <Table lab={lab} sweep={sweep} locale={locale} />
      )}
    </div>
  );
}
