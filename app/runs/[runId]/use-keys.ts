'use client';

import { useRouter } from 'next/navigation';
import { useLayoutEffect, useRef, useState } from 'react';

interface Keys {
  next: () => void;
  projector: { previous: string | null; following: string | null } | null;
}

/** Whatever lies over the page has the keys to itself. */
const OPEN =
  '[role="alertdialog"], [role="dialog"]:not([popover]), [role="menu"], [role="listbox"], dialog[open], [popover]:popover-open';

/** A key typed into a field, or with a modifier, belongs to somebody else; so does one beside an open dialog. */
function ours(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return false;
  const target = event.target as HTMLElement;
  if (target.closest(`input, select, textarea, [contenteditable], ${OPEN}`)) return false;
  return document.querySelector(OPEN) === null;
}

/**
 * N runs the next step. In the projector view the arrows lead through the steps, and past the last they run one.
 *
 * @returns whether the keys work yet: a page just loaded shows its buttons before its scripts listen
 */
export function useKeys(keys: Keys): boolean {
  const { replace } = useRouter();
  const [listening, setListening] = useState(false);
  const latest = useRef(keys);
  // Before the screen shows the new state, not after: a key that answers to what is seen must meet it.
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!ours(event)) return;
      const { next, projector } = latest.current;
      if (event.key === 'n' || event.key === 'N') next();
      else if (projector && event.key === 'ArrowRight') {
        if (projector.following) replace(projector.following, { scroll: false });
        else next();
      } else if (projector?.previous && event.key === 'ArrowLeft') {
        replace(projector.previous, { scroll: false });
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    setListening(true);
    return () => document.removeEventListener('keydown', onKey);
  }, [replace]);
  return listening;
}
