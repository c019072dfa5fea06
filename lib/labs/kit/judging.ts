/** Judging that does not depend on the lab: missing stores, integrity, counting. */
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, type PanelId, panel } from '../../evidence/model.ts';
import type { Invariant, Judgement } from '../contract.ts';

export type History = readonly StepRecord[];
export type Check = (evidence: Evidence, history: History) => Judgement;
export type StoreState = 'sound' | 'damaged' | 'unreadable' | 'missing';

export const judge = (good: boolean, detail: string): Judgement => ({
  result: good ? 'holds' : 'violated',
  detail,
});
export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
export const rowsOf = (evidence: Evidence, id: PanelId) => panel(evidence, id).rows;

/** Whether a store's rows may be believed. */
export function storeState(evidence: Evidence, store: string): StoreState {
  if (!evidence.files.some((file) => file.store === store && file.present)) return 'missing';
  const found = evidence.integrity.find((entry) => entry.store === store);
  if (!found || found.quickCheck === 'unreadable') return 'unreadable';
  return found.quickCheck === 'ok' && found.foreignKeys === 'ok' ? 'sound' : 'damaged';
}

/** The last evidence of earlier steps in which a store could be read whole. */
export function lastSound(history: History, store: string): Evidence | null {
  const found = history
    .slice(0, -1)
    .findLast(({ evidence }) => evidence && storeState(evidence, store) === 'sound');
  return found?.evidence ?? null;
}

const WORDS = { missing: 'is gone', unreadable: 'is no database', damaged: 'is damaged' } as const;

/** Why a step cannot be judged by these stores; null where it can. Before they are made nothing can be broken. */
function unjudgeable(history: History, stores: readonly string[], damaged: boolean): Judgement | null {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return { result: 'unknown', detail: 'no evidence was read' };
  const ever = (store: string) =>
    history.some((record) => record.evidence && storeState(record.evidence, store) !== 'missing');
  if (!stores.some(ever)) return { result: 'holds', detail: 'no database yet' };
  for (const store of stores) {
    const state = storeState(evidence, store);
    if (state === 'sound' || (state === 'damaged' && !damaged)) continue;
    if (state === 'missing' && !ever(store)) continue;
    return { result: 'unknown', detail: `the ${store} database ${WORDS[state]}` };
  }
  return null;
}

/** A check that is `unknown` where one of the stores is gone, unreadable or damaged. */
export function onStores(stores: readonly string[], check: Check): Invariant['check'] {
  return (history) =>
    unjudgeable(history, stores, true) ?? check(history.at(-1)?.evidence as Evidence, history);
}

/** Every lab's last invariant: both integrity checks of every store pass. */
export function integrityInvariant(stores: readonly string[]): Invariant {
  return {
    id: 'integrity',
    says: 'Both integrity checks pass',
    check: (history) => {
      const refused = unjudgeable(history, stores, false);
      if (refused) return refused;
      const found = history.at(-1)?.evidence?.integrity.filter((one) => one.quickCheck !== 'missing') ?? [];
      const odd = found.find((one) => one.quickCheck !== 'ok' || one.foreignKeys !== 'ok') ?? found[0];
      const good = odd?.quickCheck === 'ok' && odd.foreignKeys === 'ok';
      return judge(good, `quick check ${odd?.quickCheck}, foreign keys ${odd?.foreignKeys}`);
    },
  };
}
