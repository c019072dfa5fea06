'use client';

import { useRouter } from 'next/navigation';
import { startTransition, useEffect } from 'react';

const WATCH_EVERY_MS = 1_000;

/** Looks at the store again while a sweep is at work. */
export function Watch() {
  const { refresh } = useRouter();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') startTransition(refresh);
    }, WATCH_EVERY_MS);
    return () => clearInterval(timer);
  }, [refresh]);
  return null;
}
