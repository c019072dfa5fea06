import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { Place } from '#lib/drill/sweep/model.ts';
import type { Grid, GridCell, GridRow } from '../grid.ts';
import { type MatrixParams, matrixQuery } from '../search-params.ts';

const TONE = {
  holds: 'bg-receipt-bg text-receipt',
  violated: 'bg-crash-bg text-crash',
  unknown: 'bg-unknown-bg text-unknown',
} as const;
const LETTER = { holds: 'H', violated: 'V', unknown: 'U' } as const;

function PlaceName({ place, withStep }: { place: Place; withStep: boolean }) {
  return (
    <code className="block whitespace-nowrap">
      {withStep ? `${place.step} · ` : ''}
      {place.role === 'executor' ? place.at : `${place.role}/${place.at}`}
      {place.hit > 1 ? ` #${place.hit}` : ''}
    </code>
  );
}

async function Cell({ cell, href, current }: { cell: GridCell | undefined; href: string; current: boolean }) {
  const t = await getTranslations('matrix');
  const worst = cell?.cells[0];
  if (!cell || !worst) {
    return (
      <td className="px-1 py-1 text-center text-faint">
        <span aria-hidden="true">·</span>
        <span className="sr-only">{t('noCell')}</span>
      </td>
    );
  }
  const letter = cell.byDesign ? 'D' : LETTER[cell.verdict];
  const word = t(cell.byDesign ? 'byDesign' : `verdict.${cell.verdict}`);
  return (
    <td className="px-1 py-1">
      <Link
        href={href}
        scroll={false}
        aria-current={current ? 'true' : undefined}
        className={`flex items-baseline gap-2 rounded-md px-2 py-1 text-[12.5px] whitespace-nowrap aria-[current]:outline-2 aria-[current]:outline-ledger ${cell.byDesign ? TONE.unknown : TONE[cell.verdict]}`}
      >
        <span aria-hidden="true" className="font-[650]">
          {letter}
        </span>
        <span className="sr-only">{word}: </span>
        <span>{t(`decision.${worst.decision}`)}</span>
        <span className="ml-auto tabular-nums">
          <span aria-hidden="true">{worst.effects}</span>
          <span className="sr-only">, {t('effects', { count: worst.effects })}</span>
        </span>
      </Link>
    </td>
  );
}

interface Props {
  grid: Grid;
  title: string;
  path: string;
  params: MatrixParams;
}

/** One procedure's layer: boundaries in trace order down, ways to die or second boundaries across. */
export async function LayerTable({ grid, title, path, params }: Props) {
  const t = await getTranslations('matrix');
  const link = (row: GridRow, column: string) => {
    const key = row.cells.get(column)?.cells[0]?.key ?? null;
    return {
      href: `${path}${matrixQuery({ ...params, cell: key })}#cell`,
      current: key === params.cell && key !== null,
    };
  };
  return (
    <section aria-label={title} className="card mb-5 overflow-hidden">
      <h2 className="px-4 pt-3 text-[15px] font-semibold sm:px-5">{title}</h2>
      {grid.rows.length === 0 ? (
        <p className="px-4 py-3 text-sm text-soft sm:px-5">{t(params.odd ? 'nothingOdd' : 'nothingYet')}</p>
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
          tabIndex={0}
          aria-label={t('scrolls', { title })}
          className="relative overflow-x-auto px-3 py-2"
        >
          <table className="text-sm">
            <thead>
              <tr>
                <th scope="col" className="px-2 py-1 text-left text-[12.5px] font-normal text-faint">
                  {t('dies')}
                </th>
                {grid.columns.map(({ id, way, place }) => (
                  <th
                    key={id}
                    scope="col"
                    className="px-2 py-1 text-left text-[12.5px] font-normal text-soft"
                  >
                    {way ? t(`way.${way}`) : place && <PlaceName place={place} withStep={false} />}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {grid.rows.map((row) => (
                <tr key={row.id} className="border-t border-line-soft">
                  <th scope="row" className="px-2 py-1 text-left text-[12.5px] font-normal">
                    {row.places.map((place) => (
                      <PlaceName
                        key={`${place.step}/${place.role}/${place.at}/${place.hit}`}
                        place={place}
                        withStep
                      />
                    ))}
                  </th>
                  {grid.columns.map(({ id }) => (
                    <Cell key={id} cell={row.cells.get(id)} {...link(row, id)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
