'use client';

import { useActionState } from 'react';
import { comparePair } from './actions.ts';

interface Props {
  pair: string;
  title: string;
  texts: { button: string; working: string };
}

export function PairForm({ pair, title, texts }: Props) {
  const [result, action, pending] = useActionState(comparePair, null);
  return (
    <form
      action={action}
      onSubmit={(event) => {
        if (pending) event.preventDefault();
      }}
    >
      <input type="hidden" name="pair" value={pair} />
      <button
        type="submit"
        aria-label={`${texts.button}: ${title}`}
        aria-disabled={pending}
        className="button"
      >
        {texts.button}
      </button>
      <span aria-live="polite" className={pending ? 'at-work ml-3 text-sm text-soft' : ''}>
        {pending ? texts.working : ''}
      </span>
      {result && !result.ok && (
        <p role="alert" className="mt-1 text-sm text-crash">
          {result.error}
        </p>
      )}
    </form>
  );
}
