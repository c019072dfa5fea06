/** A map that gives nothing away while a question is open: where a process died and what it never committed. */
import type { Lab } from '#lib/labs/contract.ts';
import type { MapWords } from './words.ts';

/**
 * Without its boundaries a map cannot say what a crash kept from being committed, and without their lanes it shows
 * nothing of the stores that nobody who decides can ask.
 */
export const hiddenLab = (lab: Lab): Lab => ({
  ...lab,
  boundaries: [],
  lanes: lab.lanes.filter(({ store }) => !lab.unasked?.includes(store)),
});

/** A death is told by how the process ended, not by its place. */
export function hiddenWords(words: MapWords): MapWords {
  return { ...words, died: (at, signal) => (at === null ? words.died(at, signal) : 'the process died') };
}
