'use client';

import { type ReactNode, useActionState } from 'react';
import { start } from '../scenarios/[lab]/[scenario]/actions.ts';

interface Props {
  name: 'scenario' | 'lab';
  value: string;
  main?: boolean;
  /** The query that the run is opened under. */
  settings?: string;
  /** Further fields, under the button. */
  fields?: ReactNode;
  children: ReactNode;
}

/** Starts a run. A double click starts one: the form is out of use until the run's page is there. */
export function StartForm({ name, value, main = false, settings = '', fields, children }: Props) {
  const [result, action, pending] = useActionState(start, null);
  return (
    <form
      action={action}
      onSubmit={(event) => {
        if (pending) event.preventDefault();
      }}
      className="inline-block"
    >
      <input type="hidden" name={name} value={value} />
      {settings && <input type="hidden" name="settings" value={settings} />}
      <button type="submit" aria-disabled={pending} className={main ? 'button button-main' : 'button'}>
        {children}
      </button>
      {fields}
      {result && !result.ok && (
        <p role="alert" className="mt-2 text-sm text-crash">
          {result.error}
        </p>
      )}
    </form>
  );
}
