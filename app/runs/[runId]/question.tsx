'use client';

import { useActionState, useState, useTransition } from 'react';
import type { Json } from '#lib/core/json.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { answerAndRun, skipQuestions } from './actions.ts';
import { answered } from './answered.ts';
import { tellRefusal } from './late-answer.tsx';

interface Props {
  run: string;
  seq: number;
  question: string;
  kind: 'number' | 'choice';
  options: { value: Json; text: string }[];
  texts: { title: string; number: string; submit: string; skip: string; missing: string };
}

const skipOrNot = (before: ActionResult | null, form: FormData) => answered(skipQuestions(before, form));

type Answerable = Pick<Props, 'kind' | 'question' | 'options'> & { number: string };

function Answers({ kind, question, options, number }: Answerable) {
  return kind === 'number' ? (
    <label className="flex items-center gap-2 text-sm text-soft">
      {number}
      <input type="number" name="answer" inputMode="numeric" step="any" className="field w-28" />
    </label>
  ) : (
    <fieldset className="grid gap-2 sm:flex sm:flex-wrap">
      <legend className="sr-only">{question}</legend>
      {options.map((option, index) => (
        <label
          key={option.text}
          className="flex cursor-pointer items-center gap-2 rounded-lg border border-line px-3 py-2 text-sm has-checked:border-ledger has-checked:bg-ledger-bg"
        >
          <input type="radio" name="answer" value={index} className="accent-ledger" />
          {option.text}
        </label>
      ))}
    </fieldset>
  );
}

/** Asks what will happen, before it happens. The answer is locked, then the step runs. */
export function Question({ run, seq, question, kind, options, texts }: Props) {
  const [error, setError] = useState<string | null>(null);
  const [pending, startTransition] = useTransition();
  const [skipped, skip] = useActionState(skipOrNot, null);
  const failed = error ?? (skipped && !skipped.ok ? skipped.error : null);
  const submit = (form: FormData) => {
    const given = String(form.get('answer') ?? '');
    if (given === '') {
      setError(texts.missing);
      return;
    }
    const value = kind === 'number' ? Number(given) : options[Number(given)]?.value;
    startTransition(async () => {
      const result = await answered(answerAndRun(run, seq, value));
      const late = !result.ok && (result.code === 'refused' || result.code === 'stale');
      tellRefusal(run, late ? result.error : null);
      setError(result.ok || late ? null : result.error);
    });
  };
  return (
    <section
      id="prediction"
      aria-labelledby="question"
      className="card no-print mb-4 border-ledger px-4 py-4 sm:px-5"
    >
      <p className="text-[0.83em] font-[550] text-ledger">{texts.title}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!pending) submit(new FormData(event.currentTarget));
        }}
      >
        <h2 id="question" className="mt-0.5 mb-3 text-lg font-[620] tracking-tight">
          {question}
        </h2>
        <Answers kind={kind} question={question} options={options} number={texts.number} />
        <div className="mt-4 flex flex-wrap items-center gap-2">
          <button type="submit" aria-disabled={pending} className="button button-main">
            {texts.submit}
          </button>
          <button type="submit" formNoValidate form="skip-questions" className="button">
            {texts.skip}
          </button>
        </div>
      </form>
      <form id="skip-questions" action={skip} className="hidden">
        <input type="hidden" name="run" value={run} />
        <input type="hidden" name="seq" value={seq} />
      </form>
      {failed && (
        <p role="alert" className="mt-2 text-sm text-crash">
          {failed}
        </p>
      )}
    </section>
  );
}
