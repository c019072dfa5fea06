'use client';

import { useActionState, useId, useRef } from 'react';
import { removeOwn } from './actions.ts';

interface Props {
  id: string;
  title: string;
  texts: { button: string; label: string };
}

/** Removes a scenario of one's own, once it has been asked about; its runs stay. */
export function RemoveScenario({ id, title, texts }: Props) {
  const [result, action, pending] = useActionState(removeOwn, null);
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  return (
    <>
      <button
        type="button"
        aria-label={texts.label}
        onClick={() => dialog.current?.showModal()}
        className="rounded-md px-2 py-0.5 text-[13px] text-soft hover:text-crash"
      >
        {texts.button}
      </button>
      <dialog
        ref={dialog}
        aria-labelledby={heading}
        className="card m-auto max-w-md p-5 text-ink shadow-xl backdrop:bg-black/45"
      >
        <h2 id={heading} className="text-lg font-[620] tracking-tight">
          Remove this scenario?
        </h2>
        <p className="mt-2 text-soft">
          The file of “{title}” is deleted and cannot be brought back. Its runs stay.{' '}
          <a className="link" href={`/scenarios/${id}/download`} download>
            Download it first
          </a>
          .
        </p>
        {result && !result.ok && (
          <p role="alert" className="mt-3 text-sm text-crash">
            {result.error}
          </p>
        )}
        <form action={action} className="mt-5 flex justify-end gap-2">
          <input type="hidden" name="id" value={id} />
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button type="submit" aria-disabled={pending} className="button button-danger">
            Remove
          </button>
        </form>
      </dialog>
    </>
  );
}
