'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';

/** A page's name in the header, marked where the person is on it or below it. */
export function NavLink({ href, under, children }: { href: string; under: string; children: ReactNode }) {
  const path = usePathname();
  const here = path === href || path === under || path.startsWith(`${under}/`);
  return (
    <Link
      href={href}
      aria-current={here ? 'page' : undefined}
      className="rounded-md px-2 py-1.5 text-soft hover:text-ink aria-[current]:font-[560] aria-[current]:text-ink"
    >
      {children}
    </Link>
  );
}
