import type { getTranslations } from 'next-intl/server';
import type { MapWords } from './words.ts';

type T = Awaited<ReturnType<typeof getTranslations<'map'>>>;

/** The map's words in the page's language. */
export function mapWords(t: T): MapWords {
  return {
    row: (role) => (role === 'executor' ? t('process') : role),
    pid: (pid) => t('pid', { pid: String(pid) }),
    bar: (step, verb, pid, end) => t(`bar.${end}`, { step, verb, pid: String(pid) }),
    commit: (step, label, store, pid) => t('commit', { step, label, store, pid: String(pid) }),
    never: (label) => t('never', { label }),
    neverSpoken: (label, store) => t('neverSpoken', { label, store }),
    died: (at, signal) => {
      if (at === null) return t('killed', { signal: signal ?? '' });
      return signal === null ? t('died', { at }) : t('diedBy', { at, signal });
    },
    callerSaw: (code, signal) =>
      signal === null ? t('sawExit', { code: String(code ?? '?') }) : t('sawSignal', { signal }),
    childDied: (role) => t('childDied', { role }),
    held: (at) => t('held', { at }),
    open: t('open'),
    closed: t('closed'),
    claimed: (who, effect) => (who === null ? t('claimed', { effect }) : t('claimedBy', { who, effect })),
    claimedSpoken: (from, to, effect) => t('claimedSpoken', { from, to, effect }),
    openSpoken: (step) => t('openSpoken', { step }),
    closedSpoken: (from, to) => t('closedSpoken', { from, to }),
  };
}
