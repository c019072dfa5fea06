'use client';

import { type ReactNode, startTransition, useActionState } from 'react';
import type { ActionResult } from '#lib/operations/model.ts';

interface Props {
  action: (before: ActionResult | null, form: FormData) => Promise<ActionResult>;
  fields: Record<string, string>;
  button: string;
  working: string;
  main?: boolean;
  className?: string;
  children?: ReactNode;
}

/** A form with one button: out of use while at work, a refusal said below it, what was chosen kept. */
export function ActionForm({ action, fields, button, working, main = false, className, children }: Props) {
  const [result, dispatch, pending] = useActionState(action, null);
  return (
    <form
      action={dispatch}
      onSubmit={(event) => {
        // Left to itself React empties the form after its action, after a refusal too.
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        if (!pending) startTransition(() => dispatch(form));
      }}
      className={className ?? 'flex flex-wrap items-end gap-3'}
    >
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" aria-disabled={pending} className={main ? 'button button-main' : 'button'}>
        {button}
      </button>
      <span aria-live="polite" className={pending ? 'at-work self-center text-sm text-soft' : ''}>
        {pending ? working : ''}
      </span>
      {result && !result.ok && (
        <p role="alert" className="w-full text-sm text-crash">
          {result.error}
        </p>
      )}
    </form>
  );
}
