/** What every invariant of the lab needs: the guard of stores that are gone, counts by the ground truth, figures. */
import { isObject, type Json } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type CheckResult, type Evidence, panel, type Row } from '../../evidence/model.ts';
import type { Invariant, Judgement } from '../contract.ts';
import type { StoreId } from './stores.ts';

export type Now = { evidence: Evidence; history: readonly StepRecord[]; last: StepRecord };

export const judgement = (result: CheckResult, detail: string): Judgement => ({ result, detail });
export const holdsIf = (good: boolean, detail: string): Judgement =>
  judgement(good ? 'holds' : 'violated', detail);

/** Stores that this evidence cannot speak for. */
export function unreadable(evidence: Evidence, stores: readonly StoreId[]): string[] {
  return evidence.integrity
    .filter(
      ({ store, quickCheck }) =>
        stores.includes(store as StoreId) && /^(missing|unreadable)$/.test(quickCheck),
    )
    .map(({ store }) => store);
}

/** True before the lab's first init: nothing is there, and nothing has been lost. */
export function neverCreated(history: readonly StepRecord[]): boolean {
  return history.every((record) => !record.evidence?.files.some((file) => file.present));
}

/** An invariant about some stores: `unknown` where one of them is gone or unreadable, unless it is broken already. */
export function invariant(
  id: string,
  says: string,
  stores: readonly StoreId[],
  check: (now: Now) => Judgement,
): Invariant {
  return {
    id,
    says,
    check(history) {
      const last = history.at(-1);
      const evidence = last?.evidence;
      if (!last || !evidence) return judgement('unknown', 'no evidence was taken');
      if (neverCreated(history)) return judgement('holds', 'there is no database yet');
      const found = check({ evidence, history, last });
      const gone = unreadable(evidence, stores);
      if (found.result === 'violated' || gone.length === 0) return found;
      return judgement('unknown', `the ${gone.join(' and the ')} database cannot be read`);
    },
  };
}

export const outbox = (evidence: Evidence): Row[] => panel(evidence, 'operation').rows;
export const effects = (evidence: Evidence, intent: string): number =>
  evidence.truth.filter((change) => change.operation === intent).length;
export const member = (value: Json, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined;
export const figure = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** The first row that breaks an invariant decides; otherwise the summary is shown. */
export function everyRow(
  list: readonly Row[],
  summary: string,
  fault: (row: Row) => string | null,
): Judgement {
  for (const row of list) {
    const found = fault(row);
    if (found) return judgement('violated', `${row.key}: ${found}`);
  }
  return judgement('holds', summary);
}
