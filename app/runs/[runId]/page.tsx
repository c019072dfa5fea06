import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import { cache } from 'react';
import { DrillError } from '#lib/core/errors.ts';
import { getLab } from '#lib/labs/registry.ts';
import { getRun } from '#lib/operations/get-run.ts';
import type { RunView } from '#lib/operations/model.ts';
import { bytes } from '../../_ui/figures.ts';
import { QUESTIONS_COOKIE } from '../../_ui/preferences.ts';
import { AssessmentAside } from './assessment.tsx';
import { CaseTools, ImportedNotice } from './case.tsx';
import { EvidenceView } from './evidence-view.tsx';
import { FreePlay } from './free-play.tsx';
import { AtTheEnd, DrillHead } from './head.tsx';
import { Checks, Invariants } from './judgement.tsx';
import { KeyFigures } from './key-figures.tsx';
import { LateAnswer } from './late-answer.tsx';
import { Lesson } from './lesson.tsx';
import { MapCard } from './map-card.tsx';
import { Notices } from './notices.tsx';
import { openQuestion } from './open-question.ts';
import { choosePins } from './pins.ts';
import { AskPrediction, Reveal } from './prediction.tsx';
import { Projector } from './projector.tsx';
import { drillQuery, parseDrillParams, type SearchParams } from './search-params.ts';
import type { Shown } from './shown.ts';
import { Stepper } from './stepper.tsx';
import { Story } from './story.tsx';
import { Told } from './told.tsx';

interface Props {
  params: Promise<{ runId: string }>;
  searchParams: Promise<SearchParams>;
}

/** Title and page are rendered from one reading of the store. */
const load = cache(async (id: string): Promise<RunView> => {
  try {
    return await getRun(id);
  } catch (error) {
    if (error instanceof DrillError && (error.code === 'not-found' || error.code === 'usage')) notFound();
    throw error;
  }
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await load((await params).runId)).title };
}

/** While a question is open: the evidence, and beside it what is asked about it. */
function Asked({ run, lab, params, pins, locale }: Shown) {
  return (
    <div className="mb-4 grid grid-cols-[minmax(0,1fr)] gap-x-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] print:block">
      <div className="min-w-0 lg:order-last">
        <Reveal run={run} lab={lab} position={pins.after} locale={locale} />
        <Told run={run} lab={lab} position={pins.after} hidden />
        <AskPrediction run={run} locale={locale} />
      </div>
      <EvidenceView run={run} lab={lab} params={params} pins={pins} locale={locale} hidden />
    </div>
  );
}

/** What is looked for last, and what ends a run: away from what moves it on. */
async function Foot({ run, params }: Shown) {
  const t = await getTranslations('drill');
  return (
    <footer className="no-print mt-6 flex flex-wrap items-center gap-x-5 gap-y-1 text-[13px] text-faint">
      <span>{t('onDisk', { size: bytes(run.diskBytes) })}</span>
      <Link className="link" href={`/runs/${run.id}${drillQuery({ ...params, projector: true })}`}>
        {t('projector')}
      </Link>
      <AtTheEnd run={run} params={params} />
    </footer>
  );
}

/** The page as one works with it: everything of a run, one below the other. */
function Drill(shown: Shown) {
  const { run, lab, params, pins, hrefs, asking, locale } = shown;
  const asked = asking && openQuestion(run) !== null;
  return (
    <div className="mx-auto max-w-[1376px] px-4 pt-5 pb-16 sm:px-7 sm:pt-6 print:p-px">
      <DrillHead run={run} lab={lab} params={params} pins={pins} hrefs={hrefs} asking={asking} />
      <Notices run={run} />
      <ImportedNotice run={run} />
      <LateAnswer run={run.id} />
      <Stepper run={run} pins={pins} hrefs={hrefs} asking={asking} />
      {asked && run.steps.length > 0 ? (
        <Asked {...shown} />
      ) : (
        <>
          <Reveal run={run} lab={lab} position={pins.after} locale={locale} />
          <Told run={run} lab={lab} position={pins.after} hidden={asked} />
          {asking && <AskPrediction run={run} locale={locale} />}
        </>
      )}
      {run.steps.length === 0 ? (
        <Story run={run} lab={lab} locale={locale} />
      ) : (
        <MapCard
          steps={run.steps.slice(0, (pins.after ?? -1) + 1)}
          lab={lab}
          locale={locale}
          hidden={asked}
        />
      )}
      <CaseTools
        run={run}
        lab={lab}
        params={params}
        at={run.steps[pins.after ?? -1]?.label ?? null}
        locale={locale}
      />
      {!(asked && lab.unasked) && (
        <KeyFigures lab={lab} steps={run.steps} before={pins.before} after={pins.after} />
      )}
      <div
        className={
          run.steps.length === 0
            ? ''
            : 'grid grid-cols-[minmax(0,1fr)] gap-4 xl:grid-cols-[minmax(0,1fr)_316px] print:block'
        }
      >
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4 print:block print:[&>*]:mb-3">
          {!(asked && run.steps.length > 0) && (
            <EvidenceView run={run} lab={lab} params={params} pins={pins} locale={locale} hidden={false} />
          )}
          <Lesson run={run} locale={locale} />
          <Checks run={run} />
          <div id="free-play" className="empty:hidden">
            {!run.imported && <FreePlay run={run} lab={lab} locale={locale} />}
          </div>
          <Invariants run={run} lab={lab} locale={locale} />
        </div>
        <AssessmentAside
          lab={lab}
          history={run.steps.slice(0, (pins.after ?? -1) + 1)}
          locale={locale}
          branch={run.origin !== null}
          questionOpen={asked}
        />
      </div>
      <Foot {...shown} />
    </div>
  );
}

export default async function DrillPage({ params, searchParams }: Props) {
  const run = await load((await params).runId);
  const wanted = parseDrillParams(await searchParams);
  const [locale, jar] = await Promise.all([getLocale(), cookies()]);
  const asking = wanted.questions && jar.get(QUESTIONS_COOKIE)?.value !== 'off';
  const hrefs = run.steps.map(
    (step) => `/runs/${run.id}${drillQuery({ ...wanted, before: null, after: step.label })}`,
  );
  const shown = {
    run,
    lab: getLab(run.lab),
    params: wanted,
    pins: choosePins(run.steps, wanted),
    hrefs,
    asking,
    locale,
  };
  return wanted.projector ? <Projector {...shown} /> : <Drill {...shown} />;
}
