import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { StepRecord } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { buildMap } from '../../_ui/commit-map/build.ts';
import { CommitMap } from '../../_ui/commit-map/commit-map.tsx';
import { hiddenLab, hiddenWords } from '../../_ui/commit-map/hidden.ts';
import { mapWords } from '../../_ui/commit-map/map-words.ts';
import { latestRow } from '../../_ui/commit-map/rows.ts';
import { DENSE, gutterOf, RIGHT } from '../../_ui/commit-map/size.ts';
import { sideOf } from './evidence-view.tsx';
import { DrillControls, Verdict } from './head.tsx';
import { InlineCode } from './inline-code.tsx';
import { LateAnswer } from './late-answer.tsx';
import { Notices } from './notices.tsx';
import { openQuestion } from './open-question.ts';
import { AskPrediction, Reveal } from './prediction.tsx';
import { ProjectorPanels } from './projector-panels.tsx';
import { drillQuery } from './search-params.ts';
import type { Shown } from './shown.ts';
import { Story } from './story.tsx';
import { Told } from './told.tsx';

/** So wide a drawing fills the screen with type of twenty pixels on the smallest projector. */
const WIDTH = 780;
const WIDTH_ASKED = 560;

interface MapProps {
  steps: StepRecord[];
  lab: Lab;
  locale: string;
  /** A question is open: no place of a death is shown, and it takes a part of the width. */
  hidden: boolean;
}

async function LatestMap({ steps, lab, locale, hidden }: MapProps) {
  const t = await getTranslations('map');
  const words = hidden ? hiddenWords(mapWords(t)) : mapWords(t);
  const whole = buildMap(hidden ? hiddenLab(lab) : lab, steps, words, locale, 0);
  const room = (hidden ? WIDTH_ASKED : WIDTH) - gutterOf(whole) - RIGHT;
  const shown = latestRow(whole, room);
  return (
    <section
      aria-label={t('name')}
      className="card relative flex-auto basis-56 [&_svg]:absolute [&_svg]:inset-x-3 [&_svg]:inset-y-1.5 [&_svg]:h-[calc(100%-0.75rem)] [&_svg]:w-[calc(100%-1.5rem)]"
    >
      <CommitMap
        layout={{ ...shown, width: Math.max(shown.width, room) }}
        name={t('marks')}
        heights={DENSE}
      />
    </section>
  );
}

async function Bar(props: Shown) {
  const { run, params, locale } = props;
  const t = await getTranslations('drill');
  const text = run.scenario ? run.scenario.text : null;
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-1 md:flex-nowrap">
      <div className="w-full min-w-0 leading-tight md:w-auto md:flex-1">
        <h1 className="mr-2.5 inline font-[650] tracking-tight">{text?.title ?? run.title}</h1>
        <p className="inline text-soft">
          {text ? <InlineCode text={text.question} /> : t('freePlayQuestion')}
        </p>
      </div>
      <Verdict run={run} lab={props.lab} reasons={false} />
      <DrillControls {...props} />
      <Link
        href={`/runs/${run.id}${drillQuery({ ...params, projector: false })}`}
        aria-label={t('leaveProjector')}
        title={t('leaveProjector')}
        className="no-print rounded-md px-1.5 text-faint hover:text-ink"
      >
        <span aria-hidden="true">✕</span>
      </Link>
    </header>
  );
}

/** The drill for a room: the question, the commit map and the two panels, on one screen, in type for its last row. */
export async function Projector(props: Shown) {
  const { run, lab, params, pins, asking, locale } = props;
  const t = await getTranslations('drill');
  const asked = asking && openQuestion(run) !== null;
  const side = (name: 'before' | 'after') =>
    sideOf({ run, lab, params, pins, locale, hidden: asked }, name, (command) =>
      t('crashedNote', { command }),
    );
  return (
    <div className="projector">
      <Bar {...props} />
      <div className="grid gap-2 empty:hidden">
        <Notices run={run} />
        <LateAnswer run={run.id} />
        {!asked && <Reveal run={run} lab={lab} position={pins.after} locale={locale} compact />}
      </div>
      {!asked && run.steps.length === 0 && <Story run={run} lab={lab} locale={locale} />}
      <div className={asked ? 'projector-asked' : 'contents'}>
        {asked && (
          <div className="grid min-w-0 content-start gap-1.5">
            <Reveal run={run} lab={lab} position={pins.after} locale={locale} compact />
            <AskPrediction run={run} locale={locale} />
            <Told run={run} lab={lab} position={pins.after} hidden compact />
          </div>
        )}
        {run.steps.length > 0 && (
          <div className={`flex flex-col ${asked ? 'min-h-40 min-w-0' : 'min-h-48 flex-auto basis-56'}`}>
            <LatestMap
              steps={run.steps.slice(0, (pins.after ?? -1) + 1)}
              lab={lab}
              locale={locale}
              hidden={asked}
            />
          </div>
        )}
      </div>
      <div className="projector-panels shrink-0">
        <ProjectorPanels before={side('before')} after={side('after')} />
      </div>
    </div>
  );
}
