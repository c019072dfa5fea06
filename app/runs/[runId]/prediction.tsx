import { getTranslations } from 'next-intl/server';
import type { Json } from '#lib/core/json.ts';
import type { Predict } from '#lib/drill/model.ts';
import { select } from '#lib/drill/select.ts';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { textOf } from '../../_i18n/locale.ts';
import { show } from '../../_ui/step-facts.ts';
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
      question={textOf(predict.question, locale)}
      kind={predict.kind}
      options={(predict.options ?? []).map(({ value, text }) => ({ value, text: textOf(text, locale) }))}
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

function inWords(predict: Predict, value: Json | undefined, lab: Lab, locale: string): string {
  const option = predict.options?.find((one) => JSON.stringify(one.value) === JSON.stringify(value));
  if (option) return textOf(option.text, locale);
  const statement = 'statement' in predict.answer && lab.invariants.find((one) => one.id === value);
  return statement ? textOf(statement.statement, locale) : show(value);
}

/** What was predicted for a step beside what happened, and why. It never blames. */
export async function Reveal(props: { run: RunView; lab: Lab; position: number | null; locale: string }) {
  const { run, lab, position, locale } = props;
  const step = position === null ? undefined : run.steps[position];
  const given = run.predictions.find((prediction) => prediction.seq === (position ?? -1) + 1);
  const predict = step?.spec.predict;
  if (!step || !predict || !given || given.value === null) return null;
  const t = await getTranslations('prediction');
  const fact = select(predict.answer, step);
  const same = JSON.stringify(fact) === JSON.stringify(given.value);
  return (
    <section aria-label={t('reveal')} className="card mb-4 px-4 py-4 sm:px-5">
      <p className="text-[13px] text-soft">{textOf(predict.question, locale)}</p>
      <dl className="mt-2 flex flex-wrap gap-x-10 gap-y-2">
        <div>
          <dt className="text-[12.5px] text-faint">{t('said')}</dt>
          <dd className="text-lg font-[620] tracking-tight">{inWords(predict, given.value, lab, locale)}</dd>
        </div>
        <div>
          <dt className="text-[12.5px] text-faint">{t('fact')}</dt>
          <dd className={`text-lg font-[620] tracking-tight ${same ? 'text-receipt' : ''}`}>
            {inWords(predict, fact, lab, locale)}
          </dd>
        </div>
      </dl>
      <p className="mt-2 max-w-[75ch] text-sm">
        <InlineCode text={textOf(predict.because, locale)} />
      </p>
    </section>
  );
}
