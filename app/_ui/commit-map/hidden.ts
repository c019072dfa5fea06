/** A map that gives nothing away while a question is open: where a process died and what it never committed. */
import type { MapLab } from './build.ts';
import type { MapWords } from './words.ts';

/** Without its boundaries a map cannot say what a crash kept from being committed. */
export const hiddenLab = <L extends MapLab>(lab: L): L => ({ ...lab, boundaries: [] });

/** A death is told by how the process ended, not by its place. */
export function hiddenWords(words: MapWords): MapWords {
  return { ...words, died: (at, signal) => (at === null ? words.died(at, signal) : 'the process died') };
}
