import { getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import { scenarioOfCell } from '#lib/operations/open-cell.ts';
import { toResult } from '#lib/operations/result.ts';
import type { CellSummary } from '#lib/operations/sweep-job.ts';
import { textOf } from '../../_i18n/locale.ts';
import { ResultChip } from '../../_ui/chip.tsx';
import { runCell } from '../actions.ts';
import { ActionForm } from './action-form.tsx';

interface Props {
  sweep: string;
  cell: CellSummary;
  lab: Lab;
  locale: string;
}

/** One cell: its faults, what came of it, and the ways on from here. */
export async function CellDetail({ sweep, cell, lab, locale }: Props) {
  const t = await getTranslations('matrix');
  const found = await toResult(async () => ({ scenario: await scenarioOfCell(sweep, cell.key) }));
  const file = `/matrix/${lab.id}/cell?${new URLSearchParams({ sweep, cell: cell.key })}`;
  return (
    <section id="cell" aria-labelledby="cell-title" className="card mb-5 px-4 py-4 sm:px-5">
      <h2 id="cell-title" className="mb-2 flex flex-wrap items-center gap-3 text-[15px] font-semibold">
        {t('cell')}
        <ResultChip result={cell.verdict}>{t(`verdict.${cell.verdict}`)}</ResultChip>
      </h2>
      <ol className="mb-2 list-decimal pl-5 text-sm">
        {cell.faults.map((fault) => (
          <li key={`${fault.step}/${fault.role}/${fault.at}/${fault.hit}`}>
            {t('faultIs', { step: fault.step, role: fault.role, way: t(`way.${fault.do}`) })}{' '}
            <code>
              {fault.at}
              {fault.hit > 1 ? ` #${fault.hit}` : ''}
            </code>
          </li>
        ))}
      </ol>
      {found.ok && (
        <p className="mb-2 text-sm">
          {t('stepsAre')}{' '}
          <code className="wrap-anywhere">
            {found.scenario.steps.map(({ command }) => command).join(' → ')}
          </code>
        </p>
      )}
      <p className="mb-2 text-sm text-soft">
        {t('cameTo', {
          decision: t(`decision.${cell.decision}`),
          effects: t('effects', { count: cell.effects }),
        })}
      </p>
      {cell.violated.length > 0 && (
        <ul className="mb-2 list-disc pl-5 text-sm text-crash">
          {cell.violated.map((id) => {
            const statement = lab.invariants.find((invariant) => invariant.id === id)?.statement;
            return <li key={id}>{statement ? textOf(statement, locale) : id}</li>;
          })}
        </ul>
      )}
      {cell.reason && <p className="mb-2 text-sm text-crash">{cell.reason}</p>}
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <ActionForm
          action={runCell}
          fields={{ sweep, cell: cell.key }}
          button={t('open')}
          working={t('opening')}
          main
        />
        <a href={file} className="button" download>
          {t('download')}
        </a>
      </div>
    </section>
  );
}
