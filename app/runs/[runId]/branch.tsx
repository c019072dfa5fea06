'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';

const BranchDialog = dynamic(() => import('./branch-dialog.tsx'), { ssr: false });

export interface BranchTexts {
  button: string;
  title: string;
  lead: string;
  step: string;
  choice: string;
  same: string;
  sameHint: string;
  fresh: string;
  freshHint: string;
  none: string;
  noneHint: string;
  rules: string;
  confirm: string;
  nothing: string;
  cancel: string;
  working: string;
}

export interface BranchProps {
  run: string;
  /** The query that the branch is opened under. */
  settings: string;
  /** Steps to branch from, with their number. */
  steps: { label: string; text: string; same: boolean; fresh: boolean }[];
  /** The step that is looked at: the one proposed. */
  at: string;
  safeguards: { name: string; prevents: string }[];
  texts: BranchTexts;
}

/** "What if I had retried anyway?" The dialog is loaded when it is first wanted. */
export function Branch(props: BranchProps) {
  const [wanted, setWanted] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button"
        onClick={() => {
          setWanted(true);
          setOpen(true);
        }}
      >
        {props.texts.button}
      </button>
      {wanted && <BranchDialog {...props} open={open} onOpenChange={setOpen} />}
    </>
  );
}
