import { getTranslations } from 'next-intl/server';
import { select } from '#lib/drill/select.ts';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { answerWords } from '../../_ui/answer-words.ts';
import { InlineCode } from './inline-code.tsx';
import { openQuestion } from './open-question.ts';
import { Question } from './question.tsx';

/** The question before the next step, its options in the page's language. */
export async function AskPrediction({ run, locale }: { run: RunView; locale: string }) {
  const predict = openQuestion(run);
  if (!predict) return null;
  const t = await getTranslations('prediction');
  return (
    <Question
      key={run.nextSeq}
      run={run.id}
      seq={run.nextSeq}
      question={predict.question}
      kind={predict.kind}
      options={(predict.options ?? []).map(({ value, text }) => ({ value, text: text }))}
      texts={{
        title: t('title', { number: run.nextSeq }),
        number: t('number'),
        submit: t('submit'),
        skip: t('skip'),
        missing: t('missing'),
      }}
    />
  );
}

interface RevealProps {
  run: RunView;
  lab: Lab;
  position: number | null;
  locale: string;
  /** As few lines as it takes: before a room the panels stay in sight. */
  compact?: boolean;
}

/** What was predicted for a step beside what happened, and why. It never blames. */
export async function Reveal({ run, lab, position, locale, compact = false }: RevealProps) {
  const step = position === null ? undefined : run.steps[position];
  const given = run.predictions.find((prediction) => prediction.seq === (position ?? -1) + 1);
  const predict = step?.spec.predict;
  if (!step || !predict || !given || given.value === null) return null;
  const t = await getTranslations('prediction');
  const fact = select(predict.answer, step);
  const same = JSON.stringify(fact) === JSON.stringify(given.value);
  const pair = compact ? 'flex flex-wrap items-baseline gap-x-2' : '';
  const words = compact ? 'font-[620]' : 'text-lg font-[620] tracking-tight';
  return (
    <section
      id="reveal"
      tabIndex={-1}
      aria-label={t('reveal')}
      className={compact ? 'card px-3 py-1.5 text-[0.85em]' : 'card mb-4 px-4 py-4 sm:px-5'}
    >
      <p
        className={`font-[620] ${same ? 'text-receipt' : 'text-unknown'} ${compact ? 'float-right pl-3' : ''}`}
      >
        <span aria-hidden="true">{same ? '✓' : '✕'}</span> {same ? 'Right' : 'Not what happened'}
      </p>
      {!compact && <p className="text-[13px] text-soft">{predict.question}</p>}
      <dl className={`flex flex-wrap gap-x-10 ${compact ? '' : 'mt-2 gap-y-2'}`}>
        <div className={pair}>
          <dt className={compact ? 'text-faint' : 'text-[12.5px] text-faint'}>{t('said')}</dt>
          <dd className={words}>{answerWords(predict, given.value, lab, locale)}</dd>
        </div>
        <div className={pair}>
          <dt className={compact ? 'text-faint' : 'text-[12.5px] text-faint'}>{t('fact')}</dt>
          <dd className={`${words} ${same ? 'text-receipt' : ''}`}>
            {answerWords(predict, fact, lab, locale)}
          </dd>
        </div>
      </dl>
      <p className={compact ? '' : 'mt-2 max-w-[75ch] text-sm'}>
        <InlineCode text={predict.because} />
      </p>
    </section>
  );
}
