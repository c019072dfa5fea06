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
/** Where height is what there is least of: a projector. */
export const DENSE: Heights = { top: 16, process: 42, between: 32, lane: 30 };

export const RIGHT = 16;

/** Room at the left for the longest name of a row. */
export function gutterOf(layout: Pick<CommitMapLayout, 'processRows' | 'lanes'>): number {
  const longest = Math.max(
    ...layout.processRows.map((row) => row.length),
    ...layout.lanes.map((lane) => lane.title.length + 2),
  );
  return Math.max(64, Math.round(longest * 6.9) + 16);
}
