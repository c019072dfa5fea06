import { getTranslations } from 'next-intl/server';
import { type Evidence, panel } from '#lib/evidence/model.ts';

interface Figures {
  exist: number;
  proved: number;
  attempts: number;
}

/** The three numbers of a lab that counts attempts; null for one that does not. */
export function figuresOf(evidence: Evidence | null): Figures | null {
  if (!evidence) return null;
  const counts = panel(evidence, 'operation').rows.map((row) => row.cells.attempts ?? row.cells.attempt);
  const attempts = counts.filter((count): count is number => typeof count === 'number');
  const counting = panel(evidence, 'operation').columns.some(
    (name) => name === 'attempts' || name === 'attempt',
  );
  if (!counting && attempts.length === 0) return null;
  return {
    exist: panel(evidence, 'target').rows.length,
    proved: panel(evidence, 'receipts').rows.length,
    attempts: attempts.reduce((sum, count) => sum + count, 0),
  };
}

const TONE = { exist: 'text-target', proved: 'text-receipt', attempts: 'text-ledger' } as const;

/** Things that exist, receipts that prove them, attempts that were made: what a lost answer sets apart. */
export async function KeyFigures({ before, after }: { before: Evidence | null; after: Evidence | null }) {
  const now = figuresOf(after);
  if (!now) return null;
  const then = figuresOf(before);
  const t = await getTranslations('figures');
  return (
    <section
      aria-label={t('title')}
      className="card mb-4 grid break-inside-avoid grid-cols-3 divide-x divide-line-soft"
    >
      {(['exist', 'proved', 'attempts'] as const).map((name) => {
        const moved = then !== null && then[name] !== now[name];
        return (
          <p key={name} className="flex flex-col gap-x-3 px-3 py-3 sm:flex-row sm:items-baseline sm:px-5">
            <span className={`text-[34px] leading-10 font-[680] tracking-tight tabular-nums ${TONE[name]}`}>
              {moved && (
                <span className="text-[22px] font-normal text-faint">
                  {then[name]}
                  <span aria-hidden="true"> → </span>
                  <span className="sr-only"> {t('then')} </span>
                </span>
              )}
              {now[name]}
            </span>{' '}
            <span className="text-[13px] text-soft">{t(name, { count: now[name] })}</span>
          </p>
        );
      })}
    </section>
  );
}
