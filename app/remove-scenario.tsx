'use client';

import { useActionState } from 'react';
import { removeOwn } from './actions.ts';

/** Removes a scenario of one's own; its runs stay. */
export function RemoveScenario({ id, texts }: { id: string; texts: { button: string; label: string } }) {
  const [result, action, pending] = useActionState(removeOwn, null);
  return (
    <form action={action}>
      <input type="hidden" name="id" value={id} />
      <button
        type="submit"
        aria-label={texts.label}
        aria-disabled={pending}
        className="rounded-md px-2 py-0.5 text-[13px] text-soft hover:text-crash"
      >
        {texts.button}
      </button>
      {result && !result.ok && (
        <p role="alert" className="text-sm text-crash">
          {result.error}
        </p>
      )}
    </form>
  );
}
