'use client';

import { type ReactNode, useState } from 'react';

interface Props {
  summary: ReactNode;
  /** Open from the beginning. */
  open?: boolean;
  className?: string;
  children: ReactNode;
}

/** A disclosure whose content is built when it is first opened: a page that changes with each step pays for no more. */
export function LazyDetails({ summary, open = false, className, children }: Props) {
  const [opened, setOpened] = useState(open);
  return (
    <details
      open={open}
      className={className}
      onToggle={(event) => event.currentTarget.open && setOpened(true)}
    >
      <summary className="text-sm font-semibold">{summary}</summary>
      {opened && children}
    </details>
  );
}
