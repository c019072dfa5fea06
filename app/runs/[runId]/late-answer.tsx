'use client';

import { useSyncExternalStore } from 'react';

/**
 * What was refused of an answer. It is kept outside of the form: the page that comes with the refusal has the next
 * question, or none, in the form's place.
 */
let refusal: { run: string; sentence: string } | null = null;
const readers = new Set<() => void>();

export function tellRefusal(run: string, sentence: string | null): void {
  refusal = sentence === null ? null : { run, sentence };
  for (const read of readers) read();
}

function subscribe(read: () => void): () => void {
  readers.add(read);
  return () => readers.delete(read);
}

/** Says that an answer came too late, until another one is taken. */
export function LateAnswer({ run }: { run: string }) {
  const found = useSyncExternalStore(
    subscribe,
    () => refusal,
    () => null,
  );
  if (found?.run !== run) return null;
  return (
    <p role="alert" className="mb-4 rounded-[10px] bg-unknown-bg px-4 py-2.5 text-sm text-unknown">
      {found.sentence}
    </p>
  );
}
