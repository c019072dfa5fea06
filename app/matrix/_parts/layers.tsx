import { getTranslations } from 'next-intl/server';
import type { SweepView } from '#lib/operations/get-sweep.ts';
import type { CellSummary } from '#lib/operations/sweep-job.ts';
import { Pill } from '../../_ui/pill.tsx';
import { countOf } from '../grid.ts';
import { type MatrixParams, matrixQuery, ONLY } from '../search-params.ts';

interface Props {
  sweep: SweepView;
  /** The depth of the layer shown. */
  shown: number;
  /** The cells of that layer. */
  cells: readonly CellSummary[];
  params: MatrixParams;
  path: string;
}

/** Which layer is shown, which rows of it, and how to read it. */
export async function Layers({ sweep, shown, cells, params, path }: Props) {
  const t = await getTranslations('matrix');
  const link = (change: Partial<MatrixParams>) =>
    `${path}${matrixQuery({ ...params, cell: null, ...change })}`;
  const layers = sweep.layers.filter(({ depth }) => depth > 0);
  return (
    <div className="mb-4 grid gap-2 text-[13px]">
      {layers.length > 1 && (
        <nav aria-label={t('layers')} className="flex flex-wrap items-center gap-2">
          {layers.map(({ depth }) => (
            <Pill key={depth} href={link({ layer: depth })} current={depth === shown}>
              {t('layer.matrix', { depth })}
            </Pill>
          ))}
        </nav>
      )}
      <nav aria-labelledby="rows-with" className="flex flex-wrap items-center gap-2">
        <span id="rows-with" className="text-soft">
          {t('rowsWith')}
        </span>
        {[null, ...ONLY].map((only) => (
          <Pill key={only} href={link({ only })} current={params.only === only}>
            {t.rich('filterWithCount', {
              name: t(`only.${only ?? 'all'}`),
              count: countOf(cells, only),
              n: (words) => <span className="tabular-nums">{words}</span>,
            })}
          </Pill>
        ))}
      </nav>
      <p className="text-faint">
        {t.rich('legend', { b: (words) => <b className="font-[650]">{words}</b> })}
      </p>
    </div>
  );
}
