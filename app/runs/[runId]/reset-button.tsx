'use client';

import { useActionState } from 'react';
import type { ActionResult } from '#lib/operations/model.ts';
import { reset } from './actions.ts';
import { answered, NO_ANSWER } from './answered.ts';

const resetOrNot = (before: ActionResult | null, form: FormData) => answered(reset(before, form));

/** Begins the same drill again as a new run; this one stays. */
export function ResetButton({ run, settings, text }: { run: string; settings: string; text: string }) {
  const [result, action] = useActionState(resetOrNot, null);
  return (
    <form action={action}>
      <input type="hidden" name="run" value={run} />
      <input type="hidden" name="settings" value={settings} />
      <button type="submit" className="button" title="Begins the same drill as a new run; this one stays">
        {text}
      </button>
      {result && !result.ok && result.code !== NO_ANSWER && (
        <p role="alert" className="max-w-[46ch] text-sm text-crash">
          {result.error}
        </p>
      )}
    </form>
  );
}
