import type { ReactNode } from 'react';
import type { Verdict } from '#lib/drill/reasons.ts';
import type { Decision } from '#lib/evidence/model.ts';
import type { Tone } from './step-facts.ts';

const CLASS: Record<Tone | 'retry', string> = {
  ok: 'chip chip-ok',
  crash: 'chip chip-crash',
  unknown: 'chip chip-unknown',
  retry: 'chip chip-retry',
  neutral: 'chip',
};

export function Chip({ tone = 'neutral', children }: { tone?: Tone | 'retry'; children: ReactNode }) {
  return <span className={CLASS[tone]}>{children}</span>;
}

export const RESULT_TONE: Record<Verdict, Tone> = {
  holds: 'ok',
  violated: 'crash',
  unknown: 'unknown',
  'in progress': 'neutral',
};
export const DECISION_TONE: Record<Decision, Tone | 'retry'> = {
  reconcile: 'ok',
  'retry-same-key': 'retry',
  investigate: 'unknown',
  none: 'neutral',
};
/** Colour is never the only sign. */
export const RESULT_SIGN: Record<Verdict, string> = {
  holds: '✓',
  violated: '✕',
  unknown: '?',
  'in progress': '…',
};

/** A result with its sign; the word comes translated. */
export function ResultChip({ result, children }: { result: Verdict; children: ReactNode }) {
  return (
    <Chip tone={RESULT_TONE[result]}>
      <span aria-hidden="true">{RESULT_SIGN[result]}</span> {children}
    </Chip>
  );
}

/** The lightning that means a process died. */
export function Bolt({ className = 'size-3' }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 24" className={className} fill="currentColor">
      <path d="M10 0 1 14h6L4 24 15 9H9z" />
    </svg>
  );
}
