'use client';

import { useState, useTransition } from 'react';
import { playStep } from './actions.ts';
import { answered } from './answered.ts';
import type { PlayAction, PlayModel } from './free-play-model.ts';
import { buildStep } from './play-step.ts';

export interface PlayTexts {
  action: string;
  groups: Record<PlayAction['kind'], string>;
  warning: Partial<Record<PlayAction['kind'], string>>;
  release: string;
  kill: string;
  boundary: string;
  noBoundary: string;
  lockHeld: string;
  hit: string;
  way: string;
  ways: Record<'exit' | 'kill' | 'abort' | 'hold', string>;
  clock: string;
  from: string;
  savedHint: string;
  asDefault: string;
  submit: string;
  working: string;
  wrongJson: string;
  wrongNumber: string;
}

const KINDS = ['act', 'recover', 'observe', 'other-actor', 'held', 'trap', 'damage'] as const;
const LABEL = 'grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1 text-[13px] font-[550]';

function ArgInput({ field, texts }: { field: PlayAction['fields'][number]; texts: PlayTexts }) {
  const name = `arg:${field.name}`;
  const blank = field.required ? null : <option value="">{texts.asDefault}</option>;
  const options = field.kind === 'boolean' ? ['true', 'false'] : field.options;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is one of the three below
    <label className={field.kind === 'json' ? `${LABEL} sm:col-span-2` : LABEL}>
      <span className="font-mono">{field.name}</span>
      {field.kind === 'boolean' || field.kind === 'choice' ? (
        <select name={name} defaultValue={field.start} className="field">
          {blank}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : field.kind === 'json' ? (
        <textarea
          name={name}
          rows={2}
          defaultValue={field.start}
          spellCheck={false}
          className="field font-mono"
        />
      ) : (
        <input name={name} defaultValue={field.start} spellCheck={false} className="field font-mono" />
      )}
      {field.description && <span className="font-normal text-soft">{field.description}</span>}
    </label>
  );
}

function FaultFields({ model, texts }: { model: PlayModel; texts: PlayTexts }) {
  const [armed, setArmed] = useState(false);
  return (
    <>
      <label className={LABEL}>
        {texts.boundary}
        <select
          name="at"
          className="field font-mono"
          onChange={(event) => setArmed(event.target.value !== '')}
        >
          <option value="">{texts.noBoundary}</option>
          {model.boundaries.map(({ id, at, role, lock }) => (
            <option key={id} value={id}>
              {role === 'executor' ? at : id}
              {lock === 'held' ? ` (${texts.lockHeld})` : ''}
            </option>
          ))}
        </select>
      </label>
      {armed && (
        <>
          <label className={LABEL}>
            {texts.way}
            <select name="action" className="field">
              {Object.entries(texts.ways).map(([way, words]) => (
                <option key={way} value={way}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label className={LABEL}>
            {texts.hit}
            <input name="hit" type="number" min={1} max={99} defaultValue={1} className="field" />
          </label>
        </>
      )}
    </>
  );
}

function ActionSelect(props: {
  model: PlayModel;
  texts: PlayTexts;
  value: string;
  onChange: (id: string) => void;
}) {
  const { model, texts, value, onChange } = props;
  const words = (action: PlayAction) =>
    action.verb === 'release' || action.verb === 'kill'
      ? `${texts[action.verb]} ${action.name}`
      : action.name;
  return (
    <label className={LABEL}>
      {texts.action}
      <select value={value} onChange={(event) => onChange(event.target.value)} className="field font-mono">
        {KINDS.map((kind) => {
          const list = model.actions.filter((action) => action.kind === kind);
          if (list.length === 0) return null;
          return (
            <optgroup key={kind} label={texts.groups[kind]}>
              {list.map((action) => (
                <option key={action.id} value={action.id}>
                  {words(action)}
                </option>
              ))}
            </optgroup>
          );
        })}
      </select>
    </label>
  );
}

function Arguments({ action, saved, texts }: { action: PlayAction; saved: string[]; texts: PlayTexts }) {
  return (
    <>
      {action.fields.length > 0 && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2 lg:grid-cols-4">
          {action.fields.map((field) => (
            <ArgInput key={field.name} field={field} texts={texts} />
          ))}
        </div>
      )}
      {action.fields.some((field) => field.kind === 'json') && saved.length > 0 && (
        <p className="text-[13px] text-soft">
          {texts.savedHint} <code>{saved.map((name) => `$${name}`).join(', ')}</code>
        </p>
      )}
    </>
  );
}

/** Any command, any argument, any boundary and way to die, for the next step. */
export function FreePlayForm({ model, texts, first }: { model: PlayModel; texts: PlayTexts; first: string }) {
  const [chosen, setChosen] = useState(first);
  const [error, setError] = useState<string | null>(null);
  const [pending, startTransition] = useTransition();
  const action = model.actions.find((one) => one.id === chosen) ?? model.actions[0];
  if (!action) return null;
  const submit = (form: FormData) => {
    const built = buildStep(model, action, form);
    if ('wrong' in built) {
      setError(`${built.field}: ${built.wrong === 'json' ? texts.wrongJson : texts.wrongNumber}`);
      return;
    }
    startTransition(async () => {
      const result = await answered(playStep(model.run, model.seq, built.step));
      setError(result.ok ? null : result.error);
    });
  };
  const warning = texts.warning[action.kind];
  return (
    <form
      onSubmit={(event) => {
        // Not an action: React would empty the fields, and the next try is often a small change of this one.
        event.preventDefault();
        if (!pending) submit(new FormData(event.currentTarget));
      }}
      className="grid grid-cols-[minmax(0,1fr)] gap-3"
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <ActionSelect model={model} texts={texts} value={action.id} onChange={setChosen} />
        {action.verb === 'command' && <FaultFields model={model} texts={texts} />}
        {action.needsFrom && (
          <label className={LABEL}>
            {texts.from}
            <select name="from" className="field font-mono">
              {model.copies.map((label) => (
                <option key={label}>{label}</option>
              ))}
            </select>
          </label>
        )}
        {action.verb === 'command' && model.now !== null && (
          <label className={LABEL}>
            {texts.clock}
            <input name="now" type="number" min={0} defaultValue={model.now} className="field" />
          </label>
        )}
      </div>
      {action.summary && <p className="text-sm text-soft">{action.summary}</p>}
      {warning && (
        <p className="rounded-lg bg-crash-bg px-3 py-2 text-sm text-crash">
          <strong>{texts.groups[action.kind]}.</strong> {warning}
        </p>
      )}
      <Arguments key={action.id} action={action} saved={model.saved} texts={texts} />
      <div className="flex flex-wrap items-center gap-3">
        <button type="submit" aria-disabled={pending} className="button button-main">
          {texts.submit}
        </button>
        {pending && <span className="at-work text-sm text-soft">{texts.working}</span>}
      </div>
      {error && (
        <p role="alert" className="text-sm text-crash">
          {error}
        </p>
      )}
    </form>
  );
}
