'use client';

import { useEffect, useRef } from 'react';

const KEYS = [
  ['N', 'run the next step; at a question, go to it'],
  ['← →', 'on the projector: the step before, the step after; past the last, run the next one'],
  ['Tab', 'the next control; the map and wide tables scroll with the arrow keys'],
  ['Esc', 'close a dialog or a menu'],
  ['?', 'this list'],
] as const;

/** Every key that the pages know; `?` opens it on all of them. */
export function KeysHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key !== '?' || target.closest('input, select, textarea, [contenteditable]')) return;
      if (document.querySelector('dialog[open], [role="alertdialog"], [role="dialog"]:not([popover])'))
        return;
      dialog.current?.showModal();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="keys"
      className="card m-auto max-w-md p-5 text-ink shadow-xl backdrop:bg-black/45"
    >
      <h2 id="keys" className="text-lg font-[620] tracking-tight">
        Keys
      </h2>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
        {KEYS.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-md border border-line px-1.5 py-0.5">{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" className="mt-5 text-right">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </dialog>
  );
}
