import Link from 'next/link';
import { getLocale, getTranslations } from 'next-intl/server';
import { diffEvidence, type PanelDiff } from '#lib/evidence/diff.ts';
import { gapsOf } from '#lib/evidence/gaps.ts';
import { PANEL_IDS, panel } from '#lib/evidence/model.ts';
import type { StoreSpec } from '#lib/labs/contract.ts';
import { getLab } from '#lib/labs/registry.ts';
import type { ComparedRun, Comparison } from '#lib/operations/compare-runs.ts';
import { ResultChip } from '../_ui/chip.tsx';
import { endsOf } from '../_ui/step-facts.ts';
import { Beside, besideOf } from '../runs/[runId]/beside.tsx';
import { PAPER_ROW } from '../runs/[runId]/evidence.tsx';
import { everThere } from '../runs/[runId]/known.ts';
import { PanelBody } from '../runs/[runId]/panel-body.tsx';

const GRID: Record<number, string> = {
  2: 'md:grid-cols-2 print:grid-cols-2',
  3: 'md:grid-cols-3 print:grid-cols-3',
  4: 'md:grid-cols-2 xl:grid-cols-4 print:grid-cols-4',
};

/** On paper each part has its place in a plain grid, as on the drill page. */
const ON_PAPER: Record<string, string> = {
  A: 'print:col-start-1',
  B: 'print:col-start-2',
  C: 'print:col-start-3',
  D: 'print:col-start-4',
};

async function Head({ one }: { one: ComparedRun }) {
  const t = await getTranslations('compare');
  const { run, step, costs, over, open, letter } = one;
  return (
    <div className={`grid content-start gap-1 px-4 py-3 print:row-start-1 ${ON_PAPER[letter]}`}>
      <h2 id={`run-${letter}`} className="text-sm font-semibold">
        {t('run', { letter })}
      </h2>
      <p>
        <Link href={`/runs/${run.id}`} className="link font-[560]">
          {run.title}
        </Link>
      </p>
      {run.without.length > 0 && (
        <p className="text-[13px] text-unknown">{t('without', { names: run.without.join(', ') })}</p>
      )}
      <p className="flex flex-wrap items-center gap-2 text-[13px] text-soft">
        {run.origin && run.verdict === 'holds' && costs.length > 0 ? (
          <span>{t('invariantsHold')}</span>
        ) : (
          <ResultChip result={run.verdict}>{t(`verdict.${run.verdict}`)}</ResultChip>
        )}
        {step
          ? t('after', {
              label: step.label,
              ends: endsOf(step)
                .map((end) => (end.count > 1 ? `${end.count} × ${end.word}` : end.word))
                .join(', '),
            })
          : t('noStep')}
      </p>
      <p className="text-[13px]">
        {costs.length === 0 ? (
          <span className="text-soft">{t(over ? (open ? 'leftOpen' : 'noCost') : 'notOver')}</span>
        ) : (
          <span className="text-crash">
            {t(over ? 'cost' : 'costSoFar')} <strong className="font-[620]">{costs.join('; ')}</strong>
          </span>
        )}
      </p>
    </div>
  );
}

function kindOf({ added, removed, changed, known }: PanelDiff): 'same' | 'changed' | 'unknown' {
  if (added + removed + changed > 0) return 'changed';
  return known ? 'same' : 'unknown';
}

interface ColumnProps {
  one: ComparedRun;
  first: ComparedRun;
  stores: readonly StoreSpec[];
}

async function Column({ one, first, stores }: ColumnProps) {
  const [t, e] = await Promise.all([getTranslations('compare'), getTranslations('evidence')]);
  const evidence = one.step?.evidence ?? null;
  const base = first.step?.evidence ?? null;
  const steps = one.run.steps;
  const position = steps.findIndex((step) => step.label === one.step?.label);
  const history = steps.slice(0, position + 1);
  const beside = besideOf(getLab(one.run.lab), history, await getLocale());
  const diffs = evidence && base && one !== first ? diffEvidence(base, evidence, stores) : null;
  return (
    <section
      aria-label={t('run', { letter: one.letter })}
      className="min-w-0 border-line max-md:[&+&]:border-t-4 md:row-span-5 md:grid md:grid-rows-subgrid md:[&+&]:border-l print:contents"
    >
      <Head one={one} />
      {PANEL_IDS.map((id, index) => {
        const heading = `${one.letter}-${id}`;
        const diff = diffs?.[index] ?? null;
        const kind = diff ? kindOf(diff) : null;
        return (
          <section
            key={id}
            aria-labelledby={`run-${one.letter} ${heading}`}
            className={`min-w-0 border-t border-line-soft px-4 py-3 print:px-2.5 ${ON_PAPER[one.letter]} ${PAPER_ROW[id]}`}
          >
            {kind && (
              <p
                className={`float-right pl-3 text-[12.5px] ${kind === 'same' ? 'text-faint' : 'font-semibold text-unknown'}`}
              >
                {t(kind, { letter: first.letter })}
              </p>
            )}
            <h3 id={heading} className="text-[13px] font-semibold">
              {e(`panel.${id}`)}
            </h3>
            {evidence ? (
              <>
                <PanelBody
                  panel={panel(evidence, id)}
                  gaps={gapsOf(evidence, id, everThere(stores, history))}
                  diff={diff}
                  side="after"
                  t={e}
                />
                <Beside {...beside[id]} />
              </>
            ) : (
              <p className="text-sm text-faint">{e(one.step ? 'notRead' : 'nothingRead')}</p>
            )}
          </section>
        );
      })}
    </section>
  );
}

/** The runs beside one another, panel by panel; what differs from the first is marked as on the drill page. */
export function Columns({ comparison }: { comparison: Comparison }) {
  const { runs } = comparison;
  const [first] = runs;
  if (!first) return null;
  return (
    <div
      className={`card overflow-hidden md:grid md:grid-rows-[auto_repeat(4,auto)] print:grid print:overflow-visible ${GRID[runs.length] ?? ''}`}
    >
      {runs.map((one) => (
        <Column key={one.letter} one={one} first={first} stores={getLab(one.run.lab).stores} />
      ))}
    </div>
  );
}
