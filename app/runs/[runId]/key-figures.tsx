import { getTranslations } from 'next-intl/server';
import type { StepRecord } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { type Figure, type FigureName, type Figures, figuresOf } from './known.ts';

type T = Awaited<ReturnType<typeof getTranslations<'figures'>>>;

const TONE = { exist: 'text-target', proved: 'text-receipt', attempts: 'text-ledger' } as const;

function Count({ figure, t }: { figure: Figure; t: T }) {
  if (figure.count !== null) return figure.count;
  return (
    <>
      <span aria-hidden="true">?</span>
      <span className="sr-only">{t('notKnown')}</span>
    </>
  );
}

function NumberWithName({
  name,
  now,
  then,
  t,
}: {
  name: FigureName;
  now: Figures;
  then: Figures | null;
  t: T;
}) {
  const [figure, before] = [now[name], then?.[name]];
  const { blind } = figure;
  return (
    <p className="flex flex-col gap-x-3 px-3 py-3 sm:flex-row sm:items-baseline sm:px-5">
      <span className={`text-[34px] leading-10 font-[680] tracking-tight tabular-nums ${TONE[name]}`}>
        {before && before.count !== figure.count && (
          <span className="text-[22px] font-normal text-faint">
            <Count figure={before} t={t} />
            <span aria-hidden="true"> → </span>
            <span className="sr-only"> {t('then')} </span>
          </span>
        )}
        <Count figure={figure} t={t} />
      </span>{' '}
      <span className="text-[13px] text-soft">
        {t(name, { count: figure.count ?? 0, operations: blind ? 0 : now.operations })}
        {blind && (
          <span className="block text-[12.5px] text-unknown">
            {t(`blind.${blind.problem}`, { store: blind.store })}
          </span>
        )}
      </span>
    </p>
  );
}

interface Props {
  lab: Lab;
  steps: readonly StepRecord[];
  /** Positions of the steps shown as Before and After. */
  before: number | null;
  after: number | null;
}

/** Things that exist, receipts that prove them, attempts that were made: what a lost answer sets apart. */
export async function KeyFigures({ lab, steps, before, after }: Props) {
  const at = (position: number | null) =>
    position === null ? null : figuresOf(lab, steps.slice(0, position + 1));
  const now = at(after);
  if (!now) return null;
  const t = await getTranslations('figures');
  return (
    <section
      aria-label={t('title')}
      className="card mb-4 grid break-inside-avoid grid-cols-3 divide-x divide-line-soft"
    >
      {(['exist', 'proved', 'attempts'] as const).map((name) => (
        <NumberWithName key={name} name={name} now={now} then={at(before)} t={t} />
      ))}
    </section>
  );
}
