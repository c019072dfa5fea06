'use client';

import { type ReactNode, useEffect, useId, useRef } from 'react';

interface Props {
  open: boolean;
  /** Escape, a click beside it, or its own buttons. */
  onClose: () => void;
  title: string;
  role?: 'alertdialog';
  /** While it works it cannot be closed by a click beside it. */
  busy?: boolean;
  className?: string;
  children: ReactNode;
}

/** The platform's own modal dialog: it keeps the focus inside, and gives it back to where it was. */
export function Modal({ open, onClose, title, role, busy = false, className = 'max-w-md', children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (open && !element?.open) element?.showModal();
    if (!open && element?.open) element.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog by itself.
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current && !busy) onClose();
      }}
      className={`card m-auto w-[calc(100%-2rem)] p-0 text-ink shadow-xl backdrop:bg-black/45 ${className}`}
    >
      <div className="p-5">
        <h2 id={heading} className="text-lg font-[620] tracking-tight">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
