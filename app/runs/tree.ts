/** The runs of a page as a tree: a branch stands under the run that it branches from. */
import type { RunRow } from '#lib/operations/model.ts';

export interface TreeRow {
  run: RunRow;
  /** 0 for a run that stands for itself. */
  depth: number;
}

/**
 * Orders runs so that each branch follows its origin, where both are among them. A tree stands where its newest run
 * stood; the branches of one run stand oldest first. A branch whose origin is elsewhere stands for itself.
 *
 * @param runs newest first
 */
export function asTree(runs: readonly RunRow[]): TreeRow[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const branches = new Map<string, RunRow[]>();
  for (const run of runs) {
    const origin = run.origin?.run;
    if (origin !== undefined && byId.has(origin))
      branches.set(origin, [run, ...(branches.get(origin) ?? [])]);
  }
  const rootOf = (run: RunRow): RunRow => {
    const origin = run.origin ? byId.get(run.origin.run) : undefined;
    return origin ? rootOf(origin) : run;
  };
  const below = (run: RunRow, depth: number): TreeRow[] => [
    { run, depth },
    ...(branches.get(run.id) ?? []).flatMap((branch) => below(branch, depth + 1)),
  ];
  return [...new Set(runs.map(rootOf))].flatMap((root) => below(root, 0));
}
