'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { ActionResult } from '#lib/operations/model.ts';

const DeleteDialog = dynamic(() => import('./delete-dialog.tsx'), { ssr: false });

export interface DeleteTexts {
  button: string;
  /** Spoken name where several buttons stand in a list. */
  label: string;
  title: string;
  body: string;
  confirm: string;
  cancel: string;
}

export interface DeleteProps {
  id: string;
  /** Deletes it; `stay` where the page stays open, and so has to be shown anew. */
  remove: (id: string, stay: boolean) => Promise<ActionResult>;
  /** Where to go afterwards; null stays on the page. */
  leaveTo: string | null;
  texts: DeleteTexts;
}

/** Asks before it deletes. The dialog is loaded when it is first wanted. */
export function DeleteButton({ className = 'button', ...props }: DeleteProps & { className?: string }) {
  const [wanted, setWanted] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={props.texts.label}
        className={className}
        onClick={() => {
          setWanted(true);
          setOpen(true);
        }}
      >
        {props.texts.button}
      </button>
      {wanted && <DeleteDialog {...props} open={open} onOpenChange={setOpen} />}
    </>
  );
}
