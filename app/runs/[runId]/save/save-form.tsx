'use client';

import Link from 'next/link';
import { useEffect, useMemo, useRef, useState, useTransition } from 'react';
import type { Fault } from '#lib/drill/scenario.ts';
import { keep, validate } from './actions.ts';
import { readDraft } from './draft.ts';
import { Fields, type FieldTexts } from './fields.tsx';

export interface SaveTexts extends FieldTexts {
  yaml: string;
  valid: string;
  checking: string;
  /** With `LINE` and `COLUMN` in it. */
  place: string;
  keep: string;
  replace: string;
  download: string;
  kept: string;
  open: string;
}

/** How long the text has to rest before it is checked, in milliseconds. */
const REST_MS = 250;

/** The faults of the text as it stands; null while they are not known. */
function useFaults(yaml: string): Fault[] | null {
  const [known, setKnown] = useState<{ yaml: string; faults: Fault[] } | null>(null);
  useEffect(() => {
    let over = false;
    const timer = setTimeout(async () => {
      const result = await validate(yaml);
      const faults = result.ok
        ? result.faults
        : [{ path: '(file)', message: result.error, line: 1, column: 1 }];
      if (!over) setKnown({ yaml, faults });
    }, REST_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [yaml]);
  return known?.yaml === yaml ? known.faults : null;
}

function offsetOf(yaml: string, { line, column }: Fault): number {
  const lines = yaml.split('\n').slice(0, line - 1);
  return lines.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
}

function save(name: string, yaml: string): void {
  const url = URL.createObjectURL(new Blob([yaml], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

interface FaultsProps {
  faults: Fault[] | null;
  texts: SaveTexts;
  show: (fault: Fault) => void;
}

function Faults({ faults, texts, show }: FaultsProps) {
  return (
    <div role="status" aria-live="polite" className="min-h-12 text-sm">
      {faults === null && <p className="text-soft">{texts.checking}</p>}
      {faults?.length === 0 && <p className="text-receipt">✓ {texts.valid}</p>}
      {faults && faults.length > 0 && (
        <ul className="grid gap-1">
          {faults.map((fault) => (
            <li
              key={`${fault.line}:${fault.column}:${fault.path}:${fault.message}`}
              className="wrap-anywhere"
            >
              <button type="button" className="link text-crash" onClick={() => show(fault)}>
                {texts.place.replace('LINE', String(fault.line)).replace('COLUMN', String(fault.column))}
              </button>{' '}
              <code>{fault.path}</code> {fault.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Keep({
  yaml,
  name,
  sound,
  texts,
}: {
  yaml: string;
  name: string;
  sound: boolean;
  texts: SaveTexts;
}) {
  const [result, setResult] = useState<Awaited<ReturnType<typeof keep>> | null>(null);
  const [pending, startTransition] = useTransition();
  const send = (replace: boolean) => {
    if (sound && !pending) startTransition(async () => setResult(await keep(yaml, replace)));
  };
  const taken = result?.ok === false && result.code === 'would-overwrite' && /^You have/.test(result.error);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <button
        type="button"
        className="button button-main"
        aria-disabled={!sound || pending}
        onClick={() => send(false)}
      >
        {texts.keep}
      </button>
      {taken && (
        <button type="button" className="button" onClick={() => send(true)}>
          {texts.replace}
        </button>
      )}
      <button type="button" className="button" onClick={() => save(`${name || 'scenario'}.yaml`, yaml)}>
        {texts.download}
      </button>
      {result?.ok && (
        <p role="status" className="text-sm text-receipt">
          {texts.kept}{' '}
          <Link className="link" href={`/scenarios/${result.id}`}>
            {texts.open}
          </Link>
        </p>
      )}
      {result?.ok === false && (
        <p role="alert" className="text-sm text-crash">
          {result.error}
        </p>
      )}
    </div>
  );
}

/** Form and text beside one another, either of them edited; faults as one types, each with its place. */
export function SaveForm({ proposed, texts }: { proposed: string; texts: SaveTexts }) {
  const [yaml, setYaml] = useState(proposed);
  const area = useRef<HTMLTextAreaElement>(null);
  const first = useMemo(() => readDraft(proposed), [proposed]);
  const draft = useMemo(() => readDraft(yaml), [yaml]);
  const faults = useFaults(yaml);
  const show = (fault: Fault) => {
    const at = offsetOf(yaml, fault);
    area.current?.focus();
    area.current?.setSelectionRange(at, at + 1);
  };
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <div className="card px-4 py-4 sm:px-5">
        {draft && first ? (
          <Fields draft={draft} proposed={first} texts={texts} edit={(change) => setYaml(change)} />
        ) : (
          <p className="text-soft">{texts.noYaml}</p>
        )}
      </div>
      <div className="grid content-start gap-3">
        <label className="grid gap-1 text-[13px] text-soft">
          {texts.yaml}
          <textarea
            ref={area}
            value={yaml}
            onChange={({ target }) => setYaml(target.value)}
            spellCheck={false}
            rows={32}
            className="field font-mono text-[13px] leading-5"
          />
        </label>
        <Faults faults={faults} texts={texts} show={show} />
        <Keep yaml={yaml} name={draft?.id.split('/')[1] ?? ''} sound={faults?.length === 0} texts={texts} />
      </div>
    </div>
  );
}
