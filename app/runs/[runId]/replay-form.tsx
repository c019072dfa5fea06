'use client';

import { useActionState } from 'react';
import { replay } from './case-actions.ts';

/** Starts a replay: the first moment at which anything of an imported case runs. */
export function ReplayForm({ run, texts }: { run: string; texts: { button: string; working: string } }) {
  const [result, action, pending] = useActionState(replay, null);
  return (
    <form
      action={action}
      onSubmit={(event) => {
        if (pending) event.preventDefault();
      }}
      className="no-print flex flex-wrap items-center gap-3"
    >
      <input type="hidden" name="run" value={run} />
      <button type="submit" aria-disabled={pending} className="button button-main">
        {texts.button}
      </button>
      <span aria-live="polite" className="text-sm text-soft">
        {pending ? texts.working : ''}
      </span>
      {result && !result.ok && (
        <p role="alert" className="text-sm text-crash">
          {result.error}
        </p>
      )}
    </form>
  );
}
