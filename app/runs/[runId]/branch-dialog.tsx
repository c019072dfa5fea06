'use client';

import { useActionState, useState } from 'react';
import { Modal } from '../../_ui/modal.tsx';
import type { BranchProps } from './branch.tsx';
import { branch } from './case-actions.ts';

interface Props extends BranchProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function Choice(props: { value: string; name: string; hint: string; chosen?: boolean }) {
  return (
    <label className="flex gap-2.5 rounded-lg border border-line px-3 py-2 has-checked:border-ink">
      <input type="radio" name="retry" value={props.value} defaultChecked={props.chosen} className="mt-1" />
      <span>
        {props.name}
        <span className="block text-[13px] text-soft">{props.hint}</span>
      </span>
    </label>
  );
}

/** Only what can be done after the step chosen; where nothing of one's own was submitted that is said. */
function Choices({
  texts,
  at,
}: Pick<BranchProps, 'texts'> & { at: BranchProps['steps'][number] | undefined }) {
  const { same = false, fresh = false } = at ?? {};
  return (
    <fieldset key={at?.label} className="mt-4 grid gap-2">
      <legend className="mb-1 text-sm">{texts.choice}</legend>
      {fresh && <Choice value="fresh" name={texts.fresh} hint={texts.freshHint} chosen />}
      {same && <Choice value="same" name={texts.same} hint={texts.sameHint} chosen={!fresh} />}
      <Choice value="none" name={texts.none} hint={texts.noneHint} chosen={!same && !fresh} />
      {!same && !fresh && <p className="text-[13px] text-soft">{texts.nothing}</p>}
    </fieldset>
  );
}

function Rules({ safeguards, title }: { safeguards: BranchProps['safeguards']; title: string }) {
  if (safeguards.length === 0) return null;
  return (
    <details className="mt-4">
      <summary className="text-sm font-[550]">{title}</summary>
      <ul className="mt-2 grid gap-1.5 text-sm">
        {safeguards.map(({ name, prevents }) => (
          <li key={name}>
            <label className="flex gap-2.5">
              <input type="checkbox" name="without" value={name} className="mt-1" />
              <span>
                <code>{name}</code> <span className="text-soft">{prevents}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface StepSelectProps {
  steps: BranchProps['steps'];
  name: string;
  value: string;
  onChange: (label: string) => void;
}

function StepSelect({ steps, name, value, onChange }: StepSelectProps) {
  return (
    <label className="grid gap-1 text-sm">
      {name}
      <select name="label" value={value} onChange={(event) => onChange(event.target.value)} className="field">
        {steps.map(({ label, text }) => (
          <option key={label} value={label}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export default function BranchDialog({
  run,
  settings,
  steps,
  at,
  safeguards,
  texts,
  open,
  onOpenChange,
}: Props) {
  const [result, action, pending] = useActionState(branch, null);
  const [chosen, setChosen] = useState(at);
  return (
    <Modal
      open={open}
      onClose={() => onOpenChange(false)}
      title={texts.title}
      busy={pending}
      className="max-w-lg"
    >
      <p className="mt-2 text-soft">{texts.lead}</p>
      <form
        action={action}
        onSubmit={(event) => {
          if (pending) event.preventDefault();
        }}
        className="mt-4"
      >
        <input type="hidden" name="run" value={run} />
        <input type="hidden" name="settings" value={settings} />
        <StepSelect steps={steps} name={texts.step} value={chosen} onChange={setChosen} />
        <Choices texts={texts} at={steps.find((step) => step.label === chosen)} />
        <Rules safeguards={safeguards} title={texts.rules} />
        {result && !result.ok && (
          <p role="alert" className="mt-3 text-sm text-crash">
            {result.error}
          </p>
        )}
        <p aria-live="polite" className="sr-only">
          {pending ? texts.working : ''}
        </p>
        <div className="mt-5 flex justify-end gap-2">
          <button type="button" className="button" onClick={() => onOpenChange(false)}>
            {texts.cancel}
          </button>
          <button type="submit" aria-disabled={pending} className="button button-main">
            {texts.confirm}
          </button>
        </div>
      </form>
    </Modal>
  );
}
