/** What a reader could not see: "A store that is missing is not an empty one." */
import type { Evidence, PanelId } from './model.ts';

export interface Gap {
  store: string;
  file: string;
  /** `damaged`: it was read, and its own check says that rows may be missing from what was found. */
  problem: 'missing' | 'unreadable' | 'damaged';
  /** Rows of other stores are found through this one, and are not known either. */
  joins: boolean;
}

/** The part of a lab's store that says which panels depend on it. */
export interface PanelSource {
  id: string;
  file: string;
  panels: readonly PanelId[];
  joins?: readonly PanelId[];
}

function problemOf(evidence: Evidence, store: string): Gap['problem'] | null {
  const found = evidence.integrity.find((one) => one.store === store);
  const present = evidence.files.find((one) => one.store === store)?.present ?? true;
  if (!present || found?.quickCheck === 'missing') return 'missing';
  if (!found || found.quickCheck === 'ok') return null;
  return found.quickCheck === 'unreadable' || found.foreignKeys === 'unreadable' ? 'unreadable' : 'damaged';
}

/** Stores of a panel whose rows are not known, or not all of them; none where the panel shows what there is. */
export function gapsOf(evidence: Evidence, id: PanelId, stores: readonly PanelSource[]): Gap[] {
  return stores
    .filter((store) => store.panels.includes(id))
    .flatMap(({ id: store, file, joins = [] }): Gap[] => {
      const problem = problemOf(evidence, store);
      return problem ? [{ store, file, problem, joins: joins.includes(id) }] : [];
    });
}
