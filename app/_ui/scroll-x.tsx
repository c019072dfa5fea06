'use client';

import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface Props {
  name: string;
  /** The mark that is to be in sight, in pixels of the content; where it is so anyway, nothing is scrolled. */
  from: number;
  end: number;
  /** As much as there is room for of what lies behind the mark, up to here. */
  to: number;
  className?: string;
  children: ReactNode;
}

/** A box whose content scrolls sideways, seen to do so, and scrolled to what it is about whenever that changes. */
export function ScrollX({ name, from, end, to, className = '', children }: Props) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const room = element.clientWidth;
    element.scrollLeft = end <= room ? 0 : Math.min(from, to - room);
  }, [from, end, to]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section ref={box} tabIndex={0} aria-label={name} className={`scroll-x ${className}`}>
      {children}
    </section>
  );
}
