import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import type { Place } from '#lib/drill/sweep/model.ts';
import { anchorOf, type Emptiness, type Grid, type GridRow, rowsWith } from '../grid.ts';
import { type MatrixParams, matrixQuery } from '../search-params.ts';
import { Cell, NoCell } from './grid-cell.tsx';

function PlaceName({ place, withStep }: { place: Place; withStep: boolean }) {
  return (
    <code className="block whitespace-nowrap">
      {withStep ? `${place.step} · ` : ''}
      {place.role === 'executor' ? place.at : `${place.role}/${place.at}`}
      {place.hit > 1 ? ` #${place.hit}` : ''}
    </code>
  );
}

interface Props {
  grid: Grid;
  title: string;
  path: string;
  params: MatrixParams;
  empty: Emptiness;
  /** The cell that is opened, where it is one of this table. */
  children?: ReactNode;
}

async function Head({ columns }: Pick<Grid, 'columns'>) {
  const t = await getTranslations('matrix');
  return (
    <thead>
      <tr>
        <th
          scope="col"
          className="bg-panel px-2 py-1 text-left text-[12.5px] font-normal text-faint sm:sticky sm:-left-3"
        >
          {t('dies')}
        </th>
        {columns.map(({ id, way, place }) => (
          <th key={id} scope="col" className="px-2 py-1 text-left text-[12.5px] font-normal text-soft">
            {way ? t(`way.${way}`) : place && <PlaceName place={place} withStep={false} />}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Row({
  row,
  columns,
  path,
  params,
  empty,
}: { row: GridRow } & Pick<Grid, 'columns'> & Pick<Props, 'path' | 'params' | 'empty'>) {
  return (
    <tr className="border-t border-line-soft">
      <th scope="row" className="bg-panel px-2 py-1 text-left text-[12.5px] font-normal sm:sticky sm:-left-3">
        {row.places.map((place) => (
          <PlaceName key={`${place.step}/${place.role}/${place.at}/${place.hit}`} place={place} withStep />
        ))}
      </th>
      {columns.map(({ id }) => {
        const cell = row.cells.get(id);
        const first = cell?.cells[0];
        if (!first) return <NoCell key={id} word={empty.cell} />;
        return (
          <Cell
            key={id}
            cell={cell}
            id={anchorOf(cell)}
            href={`${path}${matrixQuery({ ...params, cell: first.key })}#cell`}
            current={cell.cells.some(({ key }) => key === params.cell)}
          />
        );
      })}
    </tr>
  );
}

/** One procedure's layer: boundaries in trace order down, ways to die or second boundaries across. */
export async function LayerTable({ grid, title, path, params, empty, children }: Props) {
  const t = await getTranslations('matrix');
  const rows = rowsWith(grid, params.only);
  const filtered = params.only === 'not-holds' ? 'allHold' : 'noneIsSo';
  const nothing = grid.rows.length === 0 ? empty.table : filtered;
  return (
    <section aria-label={title} className="card mb-5 overflow-hidden">
      <h2 className="px-4 pt-3 text-[15px] font-semibold sm:px-5">{title}</h2>
      {rows.length === 0 ? (
        <p className="px-4 py-3 text-sm text-soft sm:px-5">{t(nothing)}</p>
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
          tabIndex={0}
          aria-label={t('scrolls', { title })}
          className="relative overflow-x-auto px-3 py-2"
        >
          <table className="text-sm">
            <Head columns={grid.columns} />
            <tbody>
              {rows.map((row) => (
                <Row
                  key={row.id}
                  row={row}
                  columns={grid.columns}
                  path={path}
                  params={params}
                  empty={empty}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {children}
    </section>
  );
}
