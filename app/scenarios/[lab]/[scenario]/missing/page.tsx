import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import { endWord } from '#lib/drill/checks.ts';
import { reasonWords } from '#lib/drill/reasons.ts';
import { trueChanges } from '#lib/drill/select.ts';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { toResult } from '#lib/operations/result.ts';
import { NOTHING_BREAKS, type WithAndWithout, withAndWithout } from '#lib/operations/run-without.ts';
import { ResultChip } from '../../../../_ui/chip.tsx';
import { one } from '../../../../_ui/figures.ts';
import { compareQuery } from '../../../../compare/search-params.ts';
import { loadScenario, type ScenarioParams } from '../load.ts';

interface Props extends ScenarioParams {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('missing'))('title') };
}

function invariantText(lab: Lab, id: string, locale: string): string {
  const found = lab.invariants.find((invariant) => invariant.id === id)?.says;
  return found ? found : id;
}

/** What was expected, and what broke; without praise or blame. */
async function Answer({
  pair,
  said,
  lab,
  locale,
}: {
  pair: WithAndWithout;
  said: string;
  lab: Lab;
  locale: string;
}) {
  const t = await getTranslations('missing');
  return (
    <section aria-label={t('answer')} className="card mb-5 px-4 py-4 sm:px-5">
      <p className="text-soft">
        {t('said')} {said === NOTHING_BREAKS ? t('nothing') : invariantText(lab, said, locale)}
      </p>
      <div role="status" className="mt-1">
        <p className="font-[560]">{t(pair.broke.length > 0 ? 'broke' : 'brokeNothing')}</p>
        <ul className="list-disc pl-5">
          {pair.broke.map((id) => (
            <li key={id} className={id === said ? 'font-[560]' : ''}>
              {invariantText(lab, id, locale)} <code className="text-crash">{id}</code>
            </li>
          ))}
        </ul>
        {pair.broke.length === 0 && pair.weak.reasons[0] && (
          <p className="text-soft">{reasonWords(lab, pair.weak.reasons[0])}</p>
        )}
      </div>
    </section>
  );
}

async function Column({ run, title }: { run: RunView; title: string }) {
  const t = await getTranslations('missing');
  const last = run.steps.at(-1)?.evidence;
  return (
    <section aria-label={title} className="card min-w-0 px-4 py-4 sm:px-5">
      <h2 className="flex flex-wrap items-center gap-3 text-[15px] font-semibold">
        {title}
        <ResultChip result={run.verdict}>{t(`verdict.${run.verdict}`)}</ResultChip>
      </h2>
      {run.without.length > 0 && (
        <p className="text-sm text-unknown">
          {t('without')} <code>{run.without.join(', ')}</code>
        </p>
      )}
      <ol className="mt-2 text-sm">
        {run.steps.map((step) => {
          const broken = step.invariants.filter(({ result }) => result === 'violated');
          const status = step.executors[0]?.reply?.status;
          return (
            <li key={step.label} className="border-t border-line-soft py-1.5 first:border-0">
              <span className="font-[560]">{step.label}</span>{' '}
              <span className="text-soft">
                {step.executors.map(endWord).join(', ')}
                {typeof status === 'string' ? ` · ${status}` : ''}
              </span>
              {broken.map(({ id, detail }) => (
                <span key={id} className="block wrap-anywhere text-crash">
                  {id}: {detail}
                </span>
              ))}
            </li>
          );
        })}
      </ol>
      {last && <p className="mt-2 text-sm tabular-nums">{t('changes', { count: trueChanges(last) })}</p>}
      <Link href={`/runs/${run.id}`} className="link mt-2 inline-block text-sm">
        {t('open')}
        <span className="sr-only">: {title}</span>
      </Link>
    </section>
  );
}

export default async function MissingPage(props: Props) {
  const { scenario, lab } = await loadScenario(props);
  const query = await props.searchParams;
  const [sound, weak, said] = [one(query.sound), one(query.weak), one(query.said)];
  if (!sound || !weak || !said) notFound();
  const [t, locale] = await Promise.all([getTranslations('missing'), getLocale()]);
  const found = await toResult(() => withAndWithout(scenario.id, { sound, weak }, said));
  return (
    <div className="mx-auto max-w-[1120px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <p className="text-[13px] text-faint">
        <Link href={`/scenarios/${scenario.id}`} className="link">
          {t('back')}
        </Link>
      </p>
      <h1 className="my-1 mb-4 text-[24px] font-[660] tracking-tight sm:text-[28px]">{t('title')}</h1>
      {found.ok ? (
        <>
          <Answer pair={found} said={said} lab={lab} locale={locale} />
          <div className="grid gap-4 md:grid-cols-2">
            <Column run={found.sound} title={t('sound')} />
            <Column run={found.weak} title={t('weak')} />
          </div>
          <p className="mt-4 text-sm">
            <Link href={`/compare${compareQuery({ runs: [sound, weak], step: null })}`} className="link">
              {t('compare')}
            </Link>
          </p>
        </>
      ) : (
        <p role="alert" className="text-crash">
          {found.error}
        </p>
      )}
    </div>
  );
}
