'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState, useTransition } from 'react';
import type { ActionResult } from '#lib/operations/model.ts';

interface Texts {
  file: string;
  submit: string;
  working: string;
  choose: string;
  /** Where no answer came, or none that can be read. */
  broken: string;
}

async function send(file: File, broken: string): Promise<ActionResult<{ run: string }>> {
  try {
    const response = await fetch('/import/file', {
      method: 'POST',
      headers: { 'content-type': 'application/zip' },
      body: file,
    });
    return (await response.json()) as ActionResult<{ run: string }>;
  } catch {
    return { ok: false, error: broken, code: 'unavailable', definite: false };
  }
}

/** Sends one file and opens the case; nothing of it is run. */
export function ImportForm({ texts }: { texts: Texts }) {
  const router = useRouter();
  const [error, setError] = useState<string | null>(null);
  const [pending, startTransition] = useTransition();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pending) return;
    const file = new FormData(event.currentTarget).get('file');
    if (!(file instanceof File) || file.name === '') {
      setError(texts.choose);
      return;
    }
    startTransition(async () => {
      const result = await send(file, texts.broken);
      if (result.ok) router.push(`/runs/${result.run}`);
      else setError(result.error);
    });
  };
  return (
    <form onSubmit={submit} className="card grid gap-3 px-4 py-4 sm:px-5">
      <label className="grid gap-1 text-sm">
        {texts.file}
        <input type="file" name="file" accept=".zip,application/zip" className="field py-2" />
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <button type="submit" aria-disabled={pending} className="button button-main">
          {texts.submit}
        </button>
        <span aria-live="polite" className="text-sm text-soft">
          {pending ? texts.working : ''}
        </span>
      </div>
      {error && !pending && (
        <p role="alert" className="text-sm text-crash">
          {error}
        </p>
      )}
    </form>
  );
}
