import { costOf } from '../drill/cost.ts';
import { loadRun } from './load-run.ts';

/** Recorded steps never change, so a cost is known by how many of them there were. */
const known = new Map<string, { steps: number; costs: string[] }>();
const MOST_KNOWN = 2000;

/**
 * What the decisions of a branch cost, in plain words.
 *
 * @param steps how many of its steps have a record
 * @returns nothing where no one has to pay, or where nobody can tell any more
 */
export function costOfBranch(run: string, steps: number): string[] {
  const before = known.get(run);
  if (before?.steps === steps) return before.costs;
  let costs: string[] = [];
  try {
    const { lab, records } = loadRun(run);
    costs = costOf(lab, records);
  } catch {
    // Deleted since the list was read, or evidence that no lab of ours wrote: the list itself stays.
  }
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(run, { steps, costs });
  return costs;
}
