/** Why a verdict is not "holds", in the words that the page has for the lab's invariants. */
import type { Invariant } from '#lib/labs/contract.ts';

/**
 * Puts the invariant's own words where a reason names it by its id: at its beginning, or behind its last colon.
 *
 * @param reasons as the verdict gives them, for the command line and for files
 */
export function inWords(
  reasons: readonly string[],
  invariants: readonly Pick<Invariant, 'id' | 'says'>[],
  locale: string,
): string[] {
  return reasons.map((reason) => {
    const named = invariants.find(({ id }) => reason.startsWith(`${id} is `) || reason.endsWith(`: ${id}`));
    if (!named) return reason;
    const words = `“${named.says}”`;
    return reason.startsWith(`${named.id} is `)
      ? words + reason.slice(named.id.length)
      : reason.slice(0, -named.id.length) + words;
  });
}
