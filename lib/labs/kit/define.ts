/** A lab from what is its own; everything optional gets a default here. */
import { type Evidence, PANEL_IDS } from '../../evidence/model.ts';
import type { Assessment, DamageSpec, Lab, LaneSpec } from '../contract.ts';
import { type EvidenceSpec, readEvidence, storesOf } from './evidence.ts';
import { integrityInvariant } from './judging.ts';

type Own = Pick<Lab, 'id' | 'title' | 'summary' | 'commands'>;
type Optional = Omit<Lab, keyof Own | 'stores' | 'readEvidence' | 'invariants'>;

export interface LabDefinition extends Own, Partial<Optional>, EvidenceSpec {
  /** Judged after every step; `integrity` is added as the last. */
  invariants?: Lab['invariants'];
}

const NOTHING: Assessment = { effect: 'unknown', decision: 'none', survived: '', recordAlone: '' };

function lanesOf(spec: EvidenceSpec): LaneSpec[] {
  return storesOf(spec).flatMap(({ id, panels }) => {
    const [first] = panels.filter((one) => one !== 'events');
    return first ? [{ id, store: id, title: id, panel: first }] : [];
  });
}

/**
 * Makes a lab.
 *
 * @param own its stores, its panels as SQL, its commands, and whatever else it has: boundaries, safeguards, ...
 * @returns the lab, with evidence reading, the integrity invariant, and defaults for what it left out
 * @throws Error where a panel or the truth names a store that the lab does not have
 */
export function defineLab(own: LabDefinition): Lab {
  const { panels, truth, invariants = [], ...rest } = own;
  const known = new Set(own.stores.map(({ id }) => id));
  const named = [...PANEL_IDS.flatMap((id) => panels[id].from), ...truth].map(({ store }) => store);
  const unknown = named.find((store) => !known.has(store));
  if (unknown) throw new Error(`Lab ${own.id} reads store "${unknown}", which it does not declare.`);
  return {
    provesNot: [],
    lanes: lanesOf(own),
    commits: [],
    boundaries: [],
    damages: [],
    safeguards: [],
    assess: () => NOTHING,
    procedures: [],
    next: () => null,
    playlist: [],
    ...rest,
    stores: storesOf(own),
    readEvidence: (dir: string): Evidence => readEvidence(own, dir),
    invariants: [...invariants, integrityInvariant(own.stores.map(({ id }) => id))],
  };
}

/** One damage that touches one store. */
export function damage(store: string, name: string, summary: string, needsFrom = false): DamageSpec {
  return { name, summary, stores: [store], ...(needsFrom ? { needsFrom } : {}) };
}
