/** How much room the drawing of a map takes. */
import type { CommitMapLayout } from './model.ts';

export interface Heights {
  top: number;
  process: number;
  /** Between the processes and the first lane. */
  between: number;
  lane: number;
}

export const ROOMY: Heights = { top: 30, process: 46, between: 30, lane: 38 };
/** Where no step is named above. */
export const UNNAMED: Heights = { ...ROOMY, top: 8 };
/** Where height is what there is least of: a projector. */
export const DENSE: Heights = { top: 16, process: 42, between: 32, lane: 30 };

export const RIGHT = 16;
/** Of the process that died some is left in sight. */
const BESIDE = 44;
/** From a mark to its words. */
const MARK = 24;
const LETTER = 6.9;

/** Room at the left for the longest name of a row. */
export function gutterOf(layout: Pick<CommitMapLayout, 'processRows' | 'lanes'>): number {
  const longest = Math.max(
    ...layout.processRows.map((row) => row.length),
    ...layout.lanes.map((lane) => lane.title.length + 2),
  );
  return Math.max(64, Math.round(longest * LETTER) + 16);
}

/**
 * What a map is about: its last step, which is the selected one, and in it where it died or was stopped, with its words;
 * in pixels of the drawing.
 */
export function focusOf(layout: CommitMapLayout): { from: number; end: number; to: number } {
  const gutter = gutterOf(layout);
  const start = layout.bands.at(-1)?.x ?? 0;
  const death = layout.deaths.findLast(({ x }) => x >= start);
  const held = layout.bars.findLast((bar) => bar.end === 'held' && bar.to >= start);
  const at = death?.x ?? held?.to ?? start;
  const words = death ? Math.max(death.title.length, death.detail.length) * LETTER : 0;
  return {
    from: Math.max(0, gutter + at - BESIDE),
    end: gutter + at + MARK + words,
    to: gutter + layout.width + RIGHT,
  };
}
