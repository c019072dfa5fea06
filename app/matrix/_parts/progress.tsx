import { getTranslations } from 'next-intl/server';
import type { LayerView, SweepView } from '#lib/operations/get-sweep.ts';
import { ResultChip } from '../../_ui/chip.tsx';
import { endSweep } from '../actions.ts';
import { ActionForm } from './action-form.tsx';
import { Watch } from './watch.tsx';

async function Layer({ layer, sweep }: { layer: LayerView; sweep: SweepView }) {
  const t = await getTranslations('matrix');
  const name = t(`layer.${sweep.kind}`, { depth: layer.depth });
  const left = layer.done < layer.size;
  return (
    <li className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[180px_minmax(0,1fr)_auto] sm:items-center">
      <span id={`layer-${layer.depth}`}>{name}</span>
      <progress
        aria-labelledby={`layer-${layer.depth}`}
        max={Math.max(1, layer.size)}
        value={layer.size === 0 ? 1 : layer.done}
        className="bar"
      />
      <span className="min-w-28 text-soft tabular-nums">
        {t('done', { done: layer.done, size: layer.size })}
        {!left && sweep.kind === 'matrix' && layer.violated + layer.unknown > 0
          ? `, ${t('odd', { violated: layer.violated, unknown: layer.unknown })}`
          : ''}
      </span>
    </li>
  );
}

function stateWord(sweep: SweepView): string {
  if (sweep.state !== 'running') return `state.${sweep.state}`;
  if (sweep.work?.waiting) return 'state.waiting';
  return sweep.elsewhere ? 'state.elsewhere' : 'state.running';
}

/** How far a sweep is, layer by layer: the size of one is known when the one before it is done. */
export async function Progress({ sweep }: { sweep: SweepView }) {
  const t = await getTranslations('matrix');
  const { work } = sweep;
  return (
    <section aria-label={t('progress')} className="card mb-5 px-4 py-4 sm:px-5">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="font-[560]">
          {t(stateWord(sweep) as 'state.done')}
          {work?.perSecond != null && (
            <span className="ml-2 text-sm font-normal text-soft tabular-nums">
              {t('rate', { rate: work.perSecond.toFixed(1) })}
              {work.secondsLeft !== null && `, ${t('left', { seconds: Math.ceil(work.secondsLeft) })}`}
            </span>
          )}
        </p>
        {sweep.verdict && <ResultChip result={sweep.verdict}>{t(`verdict.${sweep.verdict}`)}</ResultChip>}
        {sweep.state === 'running' && (
          <ActionForm
            action={endSweep}
            fields={{ sweep: sweep.id }}
            button={t('cancel')}
            working={t('cancelling')}
          />
        )}
      </div>
      {sweep.without.length > 0 && (
        <p className="mb-3 text-sm text-unknown">
          {t('without')} <code>{sweep.without.join(', ')}</code>
        </p>
      )}
      {sweep.error && <p className="mb-3 text-sm text-crash">{sweep.error}</p>}
      <ol className="grid gap-2">
        {sweep.layers.map((layer) => (
          <Layer key={layer.depth} layer={layer} sweep={sweep} />
        ))}
      </ol>
      {sweep.state === 'running' && <Watch />}
    </section>
  );
}
