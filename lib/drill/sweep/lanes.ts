/**
 * Works on items, so many at once, results in the order of the items. Every lane comes to rest before an error
 * leaves: nothing may still work in a directory that is then removed.
 *
 * @throws what the first failing item threw; items not begun by then are left
 */
export async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, lane));
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken) throw broken.reason;
  return results;
}
