import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import { scenarioOfCell } from '#lib/operations/open-cell.ts';
import { toResult } from '#lib/operations/result.ts';
import type { CellSummary } from '#lib/operations/sweep-job.ts';
import { Chip, ResultChip } from '../../_ui/chip.tsx';
import { runCell } from '../actions.ts';
import { type GridCell, violatedByDesign } from '../grid.ts';
import { ActionForm } from './action-form.tsx';

interface Props {
  sweep: string;
  lab: Lab;
  locale: string;
}

async function Faults({ cell }: { cell: CellSummary }) {
  const t = await getTranslations('matrix');
  return (
    <ol className="list-decimal pl-5">
      {cell.faults.map((fault) => (
        <li key={`${fault.step}/${fault.role}/${fault.at}/${fault.hit}`}>
          {t('faultIs', { step: fault.step, role: fault.role, way: t(`way.${fault.action}`) })}{' '}
          <code>
            {fault.at}
            {fault.hit > 1 ? ` #${fault.hit}` : ''}
          </code>
        </li>
      ))}
    </ol>
  );
}

async function CameTo({ cell, lab, locale }: { cell: CellSummary } & Omit<Props, 'sweep'>) {
  const t = await getTranslations('matrix');
  const decision = t(`decision.${cell.decision}`);
  return (
    <>
      <p className="text-soft">{t('cameTo', { decision, effects: t('effects', { count: cell.effects }) })}</p>
      {cell.violated.length > 0 && (
        <ul className="list-disc pl-5 text-crash">
          {cell.violated.map((id) => {
            const invariant = lab.invariants.find((invariant) => invariant.id === id)?.says;
            return <li key={id}>{invariant ? invariant : id}</li>;
          })}
        </ul>
      )}
      {cell.reason && <p className="text-crash">{cell.reason}</p>}
    </>
  );
}

/** One cell: its faults, what came of it, and the ways on from here. */
async function One({ sweep, cell, lab, locale }: { cell: CellSummary } & Props) {
  const t = await getTranslations('matrix');
  const found = await toResult(async () => ({ scenario: await scenarioOfCell(sweep, cell.key) }));
  const file = `/matrix/${lab.id}/cell?${new URLSearchParams({ sweep, cell: cell.key })}`;
  const last = cell.faults.at(-1);
  const name = last ? t('cellName', { way: t(`way.${last.action}`), step: last.step }) : t('cell');
  return (
    <article aria-label={name} className="grid content-start gap-1.5 border-t border-line-soft py-3 text-sm">
      <h4 className="flex flex-wrap items-center gap-3 font-[560]">
        {name}
        <ResultChip result={cell.verdict}>{t(`verdict.${cell.verdict}`)}</ResultChip>
        {violatedByDesign(cell) && <Chip tone="unknown">{t('byDesign')}</Chip>}
      </h4>
      <Faults cell={cell} />
      {found.ok && (
        <p>
          {t('stepsAre')}{' '}
          <code className="wrap-anywhere">
            {found.scenario.steps.map(({ command }) => command).join(' → ')}
          </code>
        </p>
      )}
      <CameTo cell={cell} lab={lab} locale={locale} />
      <div className="mt-1 flex flex-wrap items-center gap-3">
        <ActionForm
          action={runCell}
          fields={{ sweep, cell: cell.key }}
          button={t('open')}
          working={t('opening')}
        />
        <a href={file} className="button" download>
          {t('download')}
        </a>
      </div>
    </article>
  );
}

/** What stands in one place of the table: each of its cells. The link that opened it leads to its heading. */
export async function CellDetail({ cell, back, ...props }: { cell: GridCell; back: string } & Props) {
  const t = await getTranslations('matrix');
  const { cells, so, decisions, effects } = cell;
  const agree = so === cells.length && decisions.length === 1 && effects[0] === effects[1];
  const places = cells[0]?.faults.map(({ at }) => at).join(' → ') ?? '';
  return (
    <section aria-labelledby="cell" className="border-t border-line px-4 pt-4 pb-2 sm:px-5">
      <div className="flex flex-wrap items-baseline gap-x-4">
        <h3 id="cell" tabIndex={-1} className="text-[15px] font-semibold">
          {t('cellTitle', { count: cells.length, places })}
        </h3>
        <Link href={back} className="link text-[13px] text-soft">
          {t('toTable')}
        </Link>
      </div>
      {cells.length > 1 && (
        <p className="mt-1 text-sm text-soft">{t(agree ? 'cellsAgree' : 'cellsDiffer')}</p>
      )}
      <div className="mt-3 grid grid-cols-[repeat(auto-fill,minmax(min(100%,340px),1fr))] gap-x-8">
        {cells.map((one) => (
          <One key={one.key} cell={one} {...props} />
        ))}
      </div>
    </section>
  );
}
