'use client';

import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, startTransition, useActionState, useEffect, useRef, useState } from 'react';
import { type Advanced, advance } from './actions.ts';
import { answered, GONE, NO_ANSWER, serverAnswers } from './answered.ts';
import { useKeys } from './use-keys.ts';

export interface ControlTexts {
  next: string;
  answerFirst: string;
  runToEnd: string;
  atWork: string;
  waiting: string;
  gone: string;
}

interface Props {
  run: string;
  nextSeq: number;
  /** There is a step to run and nothing that keeps it from being run. */
  ready: boolean;
  /** Questions are wanted: a series stops where one stands before a step. */
  asking: boolean;
  /** A question stands before the step: answering it, or skipping it, runs on. */
  asked: boolean;
  /** Somebody else's step, or one from before a reload, is at work. */
  running: 'no' | 'working' | 'waiting';
  /** The URL's query without pins: what a new step is seen under, and what a new run keeps. */
  settings: string;
  pinned: boolean;
  projector: { previous: string | null; following: string | null } | null;
  texts: ControlTexts;
  children: ReactNode;
}

const WATCH_EVERY_MS = 400;
const GONE_EVERY_MS = 1_000;

/**
 * Looks at the store again: while a step of another tab is at work, when the person comes back to the tab, and while
 * the server is gone. It is asked first whether it is there: a page that cannot be had would take this one's place.
 *
 * @returns whether the server is gone
 */
function useWatch(active: boolean): boolean {
  const { refresh } = useRouter();
  const [gone, setGone] = useState(false);
  useEffect(() => {
    const look = async () => {
      const there = await serverAnswers();
      setGone(!there);
      if (there) startTransition(refresh);
    };
    const seen = () => {
      if (document.visibilityState === 'visible') void look();
    };
    const lost = () => setGone(true);
    const timer = active || gone ? setInterval(look, gone ? GONE_EVERY_MS : WATCH_EVERY_MS) : undefined;
    document.addEventListener('visibilitychange', seen);
    window.addEventListener(GONE, lost);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
      window.removeEventListener(GONE, lost);
    };
  }, [active, gone, refresh]);
  return gone;
}

const advanceOrNot = (before: Advanced | null, form: FormData) => answered(advance(before, form));

/** Runs steps, one action each, so that a series shows every step as it comes. */
function useAdvance(props: Props) {
  const [result, dispatch, pending] = useActionState<Advanced | null, FormData>(advanceOrNot, null);
  const router = useRouter();
  const path = usePathname();
  const goOn = result?.ok && result.goOn ? result.nextSeq : null;
  const { run, asking, pinned, settings } = props;
  const pinnedAtStart = useRef(false);
  useEffect(() => {
    if (pending) pinnedAtStart.current = pinned;
  }, [pending, pinned]);
  useEffect(() => {
    if (goOn === null) return;
    const form = new FormData();
    form.set('run', run);
    form.set('seq', String(goOn));
    form.set('mode', 'all');
    if (asking) form.set('asking', 'on');
    startTransition(() => dispatch(form));
  }, [goOn, run, asking, dispatch]);
  useEffect(() => {
    // A new step is shown, whatever was pinned when it was asked for; pins chosen later stay.
    if (!result?.ok || !pinnedAtStart.current) return;
    pinnedAtStart.current = false;
    router.replace(`${path}${settings}`, { scroll: false });
  }, [result, router, path, settings]);
  return { result, dispatch, pending };
}

function Hidden({ run, nextSeq, asking, mode }: Props & { mode: 'one' | 'all' }) {
  return (
    <>
      <input type="hidden" name="run" value={run} />
      <input type="hidden" name="seq" value={nextSeq} />
      <input type="hidden" name="mode" value={mode} />
      {asking && <input type="hidden" name="asking" value="on" />}
    </>
  );
}

function focusQuestion(): void {
  document.getElementById('prediction')?.querySelector('input')?.focus();
}

/** What is under way, and what went wrong. */
function State({
  running,
  texts,
  working,
  gone,
  error,
}: Pick<Props, 'running' | 'texts'> & { working: boolean; gone: boolean; error: string | null }) {
  return (
    <>
      <p aria-live="polite" className="text-sm text-soft empty:hidden">
        {working && !gone && (
          <span className="at-work font-[550]">{running === 'waiting' ? texts.waiting : texts.atWork}</span>
        )}
      </p>
      {gone && (
        <p role="alert" className="max-w-[46ch] text-sm text-crash">
          {texts.gone}
        </p>
      )}
      {error && (
        <p role="alert" className="max-w-[46ch] text-sm text-crash">
          {error}
        </p>
      )}
    </>
  );
}

/** An answered question is gone, and the focus with it: it goes on to the answer. */
function useKeptFocus(nextSeq: number): void {
  const seen = useRef(nextSeq);
  useEffect(() => {
    if (seen.current === nextSeq) return;
    seen.current = nextSeq;
    if (document.activeElement === document.body)
      document.getElementById('reveal')?.focus({ preventScroll: true });
  }, [nextSeq]);
}

/** Stands where Next stood: nothing moves while a question is open. */
function AnswerFirst({ text, listening }: { text: string; listening: boolean }) {
  return (
    <button
      type="button"
      onClick={focusQuestion}
      className="button button-main order-first w-full sm:order-last sm:w-auto"
    >
      {text}
      <kbd className={`text-[11px] opacity-70 ${listening ? '' : 'invisible'}`}>N</kbd>
    </button>
  );
}

/** Next step, run to the end, and what else stands there. Key N is Next step. */
export function Controls(props: Props) {
  const { ready, asked, running, texts } = props;
  const { result, dispatch, pending } = useAdvance(props);
  const nextForm = useRef<HTMLFormElement>(null);
  const working = pending || running !== 'no';
  const gone = useWatch(running !== 'no' && !pending);
  const listening = useKeys({
    next: () => {
      if (asked) focusQuestion();
      else if (ready && !working && !gone) nextForm.current?.requestSubmit();
    },
    projector: props.projector,
  });
  const failed = result && !result.ok && result.code !== NO_ANSWER ? result : null;
  useKeptFocus(props.nextSeq);
  return (
    <div className="no-print flex flex-col gap-2 sm:items-end">
      <div className="flex flex-wrap items-center gap-2">
        {ready && asked && <AnswerFirst text={texts.answerFirst} listening={listening} />}
        {ready && !asked && (
          <form ref={nextForm} action={dispatch} className="order-first w-full sm:order-last sm:w-auto">
            <Hidden {...props} mode="one" />
            <button
              type="submit"
              aria-disabled={working}
              aria-keyshortcuts={listening ? 'N' : undefined}
              className="button button-main w-full"
            >
              {texts.next}
              <kbd className={`text-[11px] opacity-70 ${listening ? '' : 'invisible'}`}>N</kbd>
            </button>
          </form>
        )}
        {ready && !props.projector && (
          <form action={dispatch} className="grow sm:order-4 sm:grow-0">
            <Hidden {...props} mode="all" />
            <button
              type="submit"
              aria-disabled={working || asked}
              disabled={asked}
              className="button w-full"
              title="Runs every step; stops at a question"
            >
              {texts.runToEnd}
            </button>
          </form>
        )}
        {props.children}
      </div>
      <State {...props} working={working} gone={gone} error={failed && !failed.ok ? failed.error : null} />
    </div>
  );
}
