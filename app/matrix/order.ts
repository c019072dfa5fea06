/** The order of a matrix: that of the trace without a fault; places met only in a recovery by step, manifest and hit. */
import type { Place } from '#lib/drill/sweep/model.ts';
import type { BoundarySpec, Procedure } from '#lib/labs/contract.ts';

/** The same place of the same step. */
export const inStep = ({ step, role, at, hit }: Place): string => `${step}/${role}/${at}#${hit}`;
/** The same place, in whatever step. */
export const anyStep = ({ role, at, hit }: Place): string => `${role}/${at}#${hit}`;

/** What is ordered has a list of numbers, the first that differs decides. */
export type Ranks = readonly number[];

export function compareRanks(a: Ranks, b: Ranks): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Where something stands in a list; behind all of it where it does not. */
export function positionIn(list: readonly string[], id: string): number {
  const at = list.indexOf(id);
  return at === -1 ? list.length : at;
}

export interface Order {
  inStep: (place: Place) => Ranks;
  anyStep: (place: Place) => Ranks;
}

/**
 * It depends on no cell, so that a table keeps its order while it fills.
 *
 * @param trace boundary hits of the procedure without a fault, in their order; empty where they are not known yet
 */
export function orderOf(
  { steps }: Pick<Procedure, 'steps'>,
  boundaries: readonly Pick<BoundarySpec, 'role' | 'name'>[],
  trace: readonly Place[],
): Order {
  const labels = steps.map(({ label }) => label);
  const names = boundaries.map(({ role, name }) => `${role}/${name}`);
  const [hits, places] = [trace.map(inStep), trace.map(anyStep)];
  // What an operator does after the procedure is numbered: next-1, next-2.
  const stepRank = (step: string) => positionIn(labels, step) + Number(/^next-(\d+)$/.exec(step)?.[1] ?? 0);
  const any = (place: Place): Ranks => [
    positionIn(places, anyStep(place)),
    positionIn(names, `${place.role}/${place.at}`),
    place.hit,
  ];
  return {
    anyStep: any,
    inStep: (place) => [positionIn(hits, inStep(place)), stepRank(place.step), ...any(place)],
  };
}
