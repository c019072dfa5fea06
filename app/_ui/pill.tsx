import Link from 'next/link';
import type { ReactNode } from 'react';

/** One of several views of the same thing, marked where it is the one shown. */
export function Pill({ href, current, children }: { href: string; current: boolean; children: ReactNode }) {
  return (
    <Link
      href={href}
      scroll={false}
      aria-current={current ? 'true' : undefined}
      className="rounded-full border border-line bg-panel px-3 py-0.5 text-soft hover:text-ink aria-[current]:border-ink aria-[current]:text-ink"
    >
      {children}
    </Link>
  );
}
