import type { Metadata } from 'next';
import Link from 'next/link';
import { getLocale, getTranslations } from 'next-intl/server';
import { armedFaults } from '#lib/drill/control.ts';
import type { Scenario } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { Bolt, Chip } from '../../../_ui/chip.tsx';
import { ScenarioMap } from '../../../_ui/commit-map/scenario-map.tsx';
import { StartForm } from '../../../_ui/start-form.tsx';
import { verbOf } from '../../../_ui/step-facts.ts';
import { InlineCode } from '../../../runs/[runId]/inline-code.tsx';
import { parseDrillParams, type SearchParams, settingsQuery } from '../../../runs/[runId]/search-params.ts';
import { loadScenario, type ScenarioParams } from './load.ts';
import { MissingRule } from './missing/form.tsx';

interface Props extends ScenarioParams {
  searchParams: Promise<SearchParams>;
}

export async function generateMetadata(props: ScenarioParams): Promise<Metadata> {
  const { scenario } = await loadScenario(props);
  return { title: scenario.text.title };
}

async function Steps({ scenario }: { scenario: Scenario }) {
  const t = await getTranslations('scenario');
  return (
    <section aria-labelledby="steps" className="card min-w-0 grow-[999] basis-80 px-4 py-3.5 sm:px-5">
      <h2 id="steps" className="mb-1 text-[13px] font-semibold">
        {t('steps')}
      </h2>
      <ol>
        {scenario.steps.map((step, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; its label could give the answer away
            key={index}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-t border-line-soft py-2 text-sm first:border-0"
          >
            <span className="w-5 text-right text-faint tabular-nums">{index + 1}</span>
            <span className="font-[560]">{verbOf(step)}</span>
            {step.damage && <Chip tone="crash">{t('damage')}</Chip>}
            {step.race && <Chip>{t('race', { executors: step.race.executors, at: step.race.at })}</Chip>}
            {armedFaults(step).map((fault) =>
              fault.action === 'hold' ? (
                <Chip key={fault.at} tone="unknown">
                  {t('heldAt', { at: fault.at })}
                </Chip>
              ) : (
                <Chip key={fault.at} tone="crash">
                  <Bolt className="h-3 w-2" />
                  {t(fault.role === 'executor' ? 'diesAt' : 'childDiesAt', {
                    at: fault.at,
                    role: fault.role,
                  })}
                </Chip>
              ),
            )}
            {step.predict && <span className="text-[12.5px] text-faint">{t('asks')}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

async function CrashPoints({ lab, scenario, locale }: { lab: Lab; scenario: Scenario; locale: string }) {
  const t = await getTranslations('scenario');
  const armed = new Set(
    scenario.steps.flatMap((step) => armedFaults(step).map(({ at, role }) => `${role}/${at}`)),
  );
  return (
    <details className="card px-4 py-3.5 sm:px-5">
      <summary className="text-[13px] font-semibold">
        {t('crashPoints', { count: lab.boundaries.length })}
      </summary>
      <dl className="mt-2">
        {lab.boundaries.map((one) => (
          <div
            key={`${one.role}/${one.name}`}
            className="grid gap-x-4 gap-y-0.5 border-t border-line-soft py-2 text-sm sm:grid-cols-[220px_minmax(0,1fr)]"
          >
            <dt className="flex flex-wrap items-center gap-2">
              <code className="wrap-anywhere">
                {one.role === 'executor' ? one.name : `${one.role}/${one.name}`}
              </code>
              {armed.has(`${one.role}/${one.name}`) && <Chip tone="crash">{t('here')}</Chip>}
            </dt>
            <dd className="text-soft">
              {one.shows}{' '}
              <span className="text-faint">{t(one.lock === 'held' ? 'lockHeld' : 'lockFree')}</span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

async function ProvesNot({ lab, locale }: { lab: Lab; locale: string }) {
  const t = await getTranslations('scenario');
  return (
    <section aria-labelledby="proves-not" className="px-1 text-sm text-soft">
      <h2 id="proves-not" className="text-[13px] font-semibold text-ink">
        {t('provesNot')}
      </h2>
      <ul className="mt-1 grid list-disc gap-1 pl-5">
        {lab.provesNot.map((invariant) => (
          <li key={invariant}>
            <InlineCode text={invariant} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export default async function ScenarioPage(props: Props) {
  const { scenario, lab } = await loadScenario(props);
  const params = parseDrillParams(await props.searchParams);
  const [t, locale] = await Promise.all([getTranslations('scenario'), getLocale()]);
  const text = scenario.text;
  return (
    <div className="mx-auto grid max-w-[1120px] grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <div className="mb-2">
        <p className="text-[13px] text-faint">
          <Link href={`/#lab-${lab.id}`} className="link">
            {t('lab', { lab: lab.title })}
          </Link>
        </p>
        <h1 className="my-1 text-[24px] leading-tight font-[660] tracking-tight sm:text-[30px]">
          {text.title}
        </h1>
        <p className="text-[17px] text-soft">
          <InlineCode text={text.question} />
        </p>
        <p className="mt-4 max-w-[70ch]">
          <InlineCode text={text.story} />
        </p>
        {scenario.without && (
          <p className="mt-2 text-sm text-unknown">
            {t('without')} <code>{scenario.without.join(', ')}</code>
          </p>
        )}
        <div className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-2">
          <StartForm name="scenario" value={scenario.id} settings={settingsQuery(params)} main>
            {t('start')}
          </StartForm>
          <Link href={`/runs?scenario=${encodeURIComponent(scenario.id)}`} className="link text-sm text-soft">
            {t('earlier')}
          </Link>
        </div>
      </div>
      <div className="flex flex-wrap items-stretch gap-4">
        <ScenarioMap
          scenario={scenario}
          lab={lab}
          title={t('map')}
          className="card max-w-full min-w-0 grow px-4 py-3.5 sm:px-5"
        />
        <Steps scenario={scenario} />
      </div>
      {text.understood && (
        <section aria-labelledby="understood" className="card px-4 py-3.5 sm:px-5">
          <h2 id="understood" className="text-[13px] font-semibold">
            {t('understood')}
          </h2>
          <details className="mt-1">
            <summary className="text-sm text-soft">{t('showUnderstood')}</summary>
            <p className="mt-1">
              <InlineCode text={text.understood} />
            </p>
          </details>
        </section>
      )}
      <MissingRule scenario={scenario} lab={lab} locale={locale} />
      <CrashPoints lab={lab} scenario={scenario} locale={locale} />
      <ProvesNot lab={lab} locale={locale} />
    </div>
  );
}
