import { getTranslations } from 'next-intl/server';
import { hasFreshKey } from '#lib/drill/cost.ts';
import type { Lab } from '#lib/labs/contract.ts';
import type { CheckView, InvariantView, RunView } from '#lib/operations/model.ts';
import { ResultChip } from '../../_ui/chip.tsx';
import { shorten } from '../../_ui/step-facts.ts';

type T = Awaited<ReturnType<typeof getTranslations<'judgement'>>>;

const ROW =
  'grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 gap-y-0.5 border-t border-line-soft py-2.5 text-sm first:border-0 sm:grid-cols-[92px_minmax(0,1fr)_auto]';
const FIGURE =
  'col-start-2 font-mono text-[12.5px] text-soft wrap-anywhere sm:col-start-3 sm:max-w-[38ch] sm:text-right';

/** A check whose steps have run. The others would give away what the questions ask. */
function due({ check }: CheckView, run: RunView): boolean {
  const labels = 'unchanged' in check ? [check.from, check.to] : [check.at];
  return labels.every((label) =>
    label === 'end' ? over(run) : run.steps.some((step) => step.label === label),
  );
}

const over = (run: RunView): boolean =>
  run.scenario !== null && run.steps.length >= run.scenario.steps.length;

/** A digest inside a longer text by its two ends. */
const figure = (text: string): string => text.replace(/[0-9a-f]{24,}/gi, shorten);

/** What the scenario says must be seen, each with the two figures compared, once its steps have run. */
export async function Checks({ run }: { run: RunView }) {
  const t = await getTranslations('judgement');
  if (run.checks.length === 0) return null;
  const checks = run.checks.filter((check) => due(check, run));
  const later = run.checks.length - checks.length;
  return (
    <section aria-labelledby="checks" className="card px-4 py-3.5 sm:px-5">
      <h2 id="checks" className="mb-1 text-[13px] font-semibold">
        {t('checks')}
      </h2>
      <ul>
        {checks.map((check, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a check is its place in the scenario
          <li key={index} className={ROW}>
            <ResultChip result={check.result}>{t(check.result)}</ResultChip>
            <span>{check.says}</span>
            <span className={FIGURE} title={check.detail}>
              {figure(check.detail)}
            </span>
          </li>
        ))}
      </ul>
      {later > 0 && <p className="py-1 text-[13px] text-faint">{t('later', { count: later })}</p>}
    </section>
  );
}

const RANK = { violated: 0, unknown: 1, holds: 2 } as const;

function Invariant({
  invariant,
  text,
  declared,
}: {
  invariant: InvariantView;
  text: string;
  declared: string;
}) {
  return (
    <>
      <span>
        {text}
        {declared && <span className="block text-[12.5px] text-soft">{declared}</span>}
      </span>
      <span className={FIGURE}>{invariant.detail}</span>
    </>
  );
}

/** What is violated and what nobody can tell are different things, and counted apart. */
function countWords(list: readonly InvariantView[], t: T): string {
  const total = list.length;
  const count = (result: InvariantView['result']) => list.filter((one) => one.result === result).length;
  const [violated, unknown] = [count('violated'), count('unknown')];
  if (violated + unknown === 0) return t('allHold', { total });
  const parts = [
    violated > 0 ? t('violatedOf', { count: violated, total }) : '',
    unknown > 0 ? t('unknownOf', { count: unknown, total }) : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** The lab's invariants, judged after every step against what really happened. */
export async function Invariants({ run, lab, locale }: { run: RunView; lab: Lab; locale: string }) {
  const t = await getTranslations('judgement');
  if (run.steps.length === 0) return null;
  const list = [...run.invariants].sort((a, b) => RANK[a.result] - RANK[b.result]);
  const textOfInvariant = (id: string) => {
    const found = lab.invariants.find((invariant) => invariant.id === id);
    return found ? found.says : id;
  };
  return (
    <section aria-labelledby="invariants" className="card px-4 py-3.5 sm:px-5">
      <h2 id="invariants" className="text-[13px] font-semibold">
        {t('invariants')}
      </h2>
      <p className="mb-1 text-[12.5px] text-soft">
        {t('invariantsLead', { counts: countWords(list, t) })}{' '}
        {run.origin && hasFreshKey(run.steps) && t('invariantsFresh')}
      </p>
      <ul>
        {list.map((invariant) => (
          <li key={invariant.id} className={ROW}>
            <ResultChip result={invariant.result}>{t(invariant.result)}</ResultChip>
            <Invariant
              invariant={invariant}
              text={textOfInvariant(invariant.id)}
              declared={[
                invariant.since === null ? '' : t('since', { step: invariant.since }),
                invariant.declared && (over(run) || invariant.result !== 'holds')
                  ? t(`declared.${invariant.declared}`)
                  : '',
              ]
                .filter(Boolean)
                .join(' ')}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
