'use client';

import {
  type Draft,
  expectWords,
  renameStep,
  setCheck,
  setExpect,
  setId,
  setText,
  TEXT_FIELDS,
  type TextField,
} from './draft.ts';

export interface FieldTexts {
  id: string;
  text: Record<TextField, string>;
  steps: string;
  label: string;
  expect: string;
  checks: string;
  noYaml: string;
  /** Proposed checks in words, by the line that the text has of them. */
  sentences: Record<string, string>;
}

export interface FieldProps {
  draft: Draft;
  /** As first proposed: what can be put back in. */
  proposed: Draft;
  texts: FieldTexts;
  /** Changes the text. */
  edit: (change: (yaml: string) => string) => void;
}

const LONG: readonly TextField[] = ['story', 'lesson'];

function Texts({ draft, texts, edit }: FieldProps) {
  return TEXT_FIELDS.map((name) => {
    const Field = LONG.includes(name) ? 'textarea' : 'input';
    return (
      <div key={name} className="grid gap-1 text-[13px] text-soft">
        <label htmlFor={`text-${name}`}>{texts.text[name]}</label>
        <Field
          id={`text-${name}`}
          rows={Field === 'textarea' ? 3 : undefined}
          value={draft.text[name]}
          className="field"
          onChange={({ target }: { target: { value: string } }) =>
            edit((yaml) => setText(yaml, name, target.value))
          }
        />
      </div>
    );
  });
}

function Steps({ draft, proposed, texts, edit }: FieldProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-[13px] font-semibold">{texts.steps}</legend>
      {draft.steps.map((step, index) => {
        const expect = step.expect ?? proposed.steps[index]?.expect ?? null;
        return (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; its label is what is edited
            key={index}
            className="grid gap-x-3 gap-y-1 sm:grid-cols-[150px_minmax(0,1fr)] sm:items-center"
          >
            <input
              aria-label={`${texts.label} ${index + 1}`}
              value={step.label}
              className="field"
              onChange={({ target }) => edit((yaml) => renameStep(yaml, index, target.value))}
            />
            <span className="min-w-0 text-[13px]">
              <code>{step.verb}</code>
              {expect !== null && (
                <label className="flex min-w-0 items-start gap-2 text-soft">
                  <input
                    type="checkbox"
                    className="mt-1"
                    checked={step.expect !== null}
                    onChange={({ target }) =>
                      edit((yaml) => setExpect(yaml, index, target.checked ? expect : null))
                    }
                  />
                  <span className="min-w-0 wrap-anywhere">
                    {texts.expect} {expectWords(expect)}
                  </span>
                </label>
              )}
            </span>
          </div>
        );
      })}
    </fieldset>
  );
}

function Checks({ draft, proposed, texts, edit }: FieldProps) {
  const all = [...new Set([...proposed.checks, ...draft.checks])];
  if (all.length === 0) return null;
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-[13px] font-semibold">{texts.checks}</legend>
      {all.map((check) => (
        <label key={check} className="flex min-w-0 items-start gap-2 text-[13px]">
          <input
            type="checkbox"
            className="mt-1"
            checked={draft.checks.includes(check)}
            onChange={({ target }) => edit((yaml) => setCheck(yaml, check, target.checked))}
          />
          {texts.sentences[check] ?? <code className="min-w-0 wrap-anywhere">{check}</code>}
        </label>
      ))}
    </fieldset>
  );
}

/** The scenario as a form: every change goes into the text beside it. */
export function Fields(props: FieldProps) {
  const { draft, texts, edit } = props;
  return (
    <div className="grid content-start gap-4">
      <label className="grid gap-1 text-[13px] text-soft">
        {texts.id}
        <input
          value={draft.id}
          className="field font-mono"
          onChange={({ target }) => edit((yaml) => setId(yaml, target.value))}
        />
      </label>
      <Texts {...props} />
      <Steps {...props} />
      <Checks {...props} />
    </div>
  );
}
