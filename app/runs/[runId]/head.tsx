import Link from 'next/link';
import { getLocale, getTranslations } from 'next-intl/server';
import { costOf } from '#lib/drill/cost.ts';
import { reasonWords } from '#lib/drill/reasons.ts';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { RESULT_SIGN, RESULT_TONE } from '../../_ui/chip.tsx';
import { DeleteButton } from '../../_ui/delete-button.tsx';
import { verbOf } from '../../_ui/step-facts.ts';
import { removeRun } from '../actions.ts';
import { askAgain } from './actions.ts';
import { Controls } from './controls.tsx';
import { InlineCode } from './inline-code.tsx';
import { openQuestion } from './open-question.ts';
import { ResetButton } from './reset-button.tsx';
import { settingsQuery } from './search-params.ts';
import type { Shown } from './shown.ts';

type Props = Omit<Shown, 'locale'>;

/** Reasons that are read at a glance; the others follow on a click. */
const FIRST_REASONS = 3;

async function Reasons({ run, lab }: { run: RunView; lab: Lab }) {
  const [t, locale] = await Promise.all([getTranslations('drill'), getLocale()]);
  const reasons = run.reasons.map((reason) => reasonWords(lab, reason));
  if (reasons.length === 0) return null;
  const list = (some: string[]) => (
    <ul className="grid list-disc gap-0.5 pl-5">
      {some.map((reason) => (
        <li key={reason} className="wrap-anywhere">
          {reason}
        </li>
      ))}
    </ul>
  );
  const rest = reasons.slice(FIRST_REASONS);
  return (
    <section aria-label={t('reasons')} className="mt-1.5 max-w-[75ch] text-[13px] text-soft">
      {list(reasons.slice(0, FIRST_REASONS))}
      {rest.length > 0 && (
        <details className="mt-0.5">
          <summary>{t('moreReasons', { count: rest.length })}</summary>
          {list(rest)}
        </details>
      )}
    </section>
  );
}

export async function Verdict(props: { run: RunView; lab: Lab; reasons?: boolean }) {
  const { run, lab, reasons = true } = props;
  const t = await getTranslations('drill');
  const paid = run.origin !== null && run.verdict === 'holds' && costOf(lab, run.steps).length > 0;
  const left = run.scenario ? run.scenario.steps.length - run.steps.length : 0;
  const judged = run.scenario !== null || run.steps.length > 0;
  const tone = { ok: 'chip-ok', crash: 'chip-crash', unknown: 'chip-unknown', neutral: '' };
  const verdict = t(`verdict.${run.verdict}`);
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-soft">
        <span role="status" className={`chip ${paid || !judged ? '' : tone[RESULT_TONE[run.verdict]]}`}>
          {judged && <span aria-hidden="true">{RESULT_SIGN[run.verdict]}</span>}
          {!judged
            ? t('notJudged')
            : left > 0
              ? t('verdictToGo', { verdict, left })
              : t('verdictIs', { verdict })}
        </span>
        {reasons && judged && run.origin && !run.scenario && <span>{t('verdictOfBranch')}</span>}
      </p>
      {reasons && left === 0 && <Reasons run={run} lab={lab} />}
    </>
  );
}

async function Titles({ run, lab }: { run: RunView; lab: Lab }) {
  const [t, locale] = await Promise.all([getTranslations('drill'), getLocale()]);
  const text = run.scenario ? run.scenario.text : null;
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap gap-x-2 text-[13px] text-faint">
        <span>{t('lab', { lab: lab.title })}</span>
        {run.origin &&
          (run.originDeleted ? (
            <span>{t('originDeleted', { label: run.origin.label })}</span>
          ) : (
            <Link className="link" href={`/runs/${run.origin.run}`}>
              {t('origin', { label: run.origin.label })}
            </Link>
          ))}
      </p>
      <h1 className="my-0.5 text-[22px] leading-tight font-[650] tracking-tight sm:text-[26px]">
        {text?.title ?? run.title}
      </h1>
      <p className="text-soft">{text ? <InlineCode text={text.question} /> : t('freePlayQuestion')}</p>
      {run.without.length > 0 && (
        <p className="mt-1 text-sm text-unknown">
          {t('without')} <code>{run.without.join(', ')}</code>
        </p>
      )}
      <div className="mt-2">
        <Verdict run={run} lab={lab} />
      </div>
      {lab.simulates && (
        <p className="mt-2 text-[12.5px] text-faint">
          <InlineCode text={lab.simulates} />
        </p>
      )}
    </div>
  );
}

async function QuestionsSwitch({ run, params, asking }: Pick<Props, 'run' | 'params' | 'asking'>) {
  const t = await getTranslations('prediction');
  if (asking || !params.questions || !run.scenario?.steps.some((step) => step.predict)) return null;
  return (
    <form action={askAgain}>
      <button type="submit" className="button">
        {t('askAgain')}
      </button>
    </form>
  );
}

/** What moves the run. Before a room that is the next step alone. */
export async function DrillControls({ run, params, pins, hrefs, asking }: Props) {
  const t = await getTranslations('drill');
  const { next, running, stuck, nextSeq } = run;
  const after = pins.after ?? -1;
  return (
    <Controls
      run={run.id}
      nextSeq={nextSeq}
      ready={next !== null && stuck === null}
      asking={asking}
      asked={asking && openQuestion(run) !== null}
      running={running ? (running.waiting ? 'waiting' : 'working') : 'no'}
      pinned={params.before !== null || params.after !== null}
      settings={settingsQuery(params)}
      projector={
        params.projector ? { previous: hrefs[after - 1] ?? null, following: hrefs[after + 1] ?? null } : null
      }
      texts={{
        next: t('next', { what: next ? verbOf(next) : '' }),
        answerFirst: t('answerFirst'),
        runToEnd: t('runToEnd'),
        atWork: t('stepAtWork', { number: running?.seq ?? nextSeq }),
        gone: t('serverGone'),
        waiting: t('stepWaiting', { number: running?.seq ?? nextSeq }),
      }}
    >
      {!params.projector && <QuestionsSwitch run={run} params={params} asking={asking} />}
    </Controls>
  );
}

/** Stands at the end of the page: nothing that cannot be undone lies beside Next. */
export async function Delete({ run }: { run: RunView }) {
  const d = await getTranslations('delete');
  return (
    <DeleteButton
      id={run.id}
      remove={removeRun}
      leaveTo="/runs"
      texts={{
        button: d('button'),
        label: d('button'),
        title: d('title'),
        body: d('body', { title: run.title }),
        confirm: d('confirm'),
        cancel: d('cancel'),
      }}
    />
  );
}

/** What ends or leaves a run: away from what moves it on. */
export async function AtTheEnd({ run, params }: Pick<Props, 'run' | 'params'>) {
  const t = await getTranslations('drill');
  return (
    <div className="ml-auto flex flex-wrap gap-2">
      <ResetButton run={run.id} settings={settingsQuery(params)} text={t('reset')} />
      <Delete run={run} />
    </div>
  );
}

/** Title, question, verdict and everything that moves the run. */
export async function DrillHead(props: Props) {
  return (
    <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
      <Titles run={props.run} lab={props.lab} />
      <DrillControls {...props} />
    </div>
  );
}
