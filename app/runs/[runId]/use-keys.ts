'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';

interface Keys {
  next: () => void;
  projector: { previous: string | null; following: string | null } | null;
}

/** A key typed into a field, or with a modifier, belongs to somebody else; so does one beside an open dialog. */
function ours(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return false;
  const target = event.target as HTMLElement;
  if (target.closest('input, select, textarea, [contenteditable], [role="alertdialog"]')) return false;
  return document.querySelector('[role="alertdialog"]') === null;
}

/** N runs the next step. In the projector view the arrows lead through the steps, and past the last they run one. */
export function useKeys(keys: Keys): void {
  const { replace } = useRouter();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
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
    return () => document.removeEventListener('keydown', onKey);
  }, [replace]);
}
