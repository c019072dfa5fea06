/** Names that somebody mistyped. */

/** Edits that turn one word into the other; two letters that changed places are one. */
function distance(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(swap ? Math.min(best, (before[j - 2] ?? 0) + 1) : best);
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

/**
 * The name that was probably meant.
 *
 * @param known what there is; of a name with a slash its last part is compared as well
 * @returns null where none comes near
 */
export function nearest(name: string, known: readonly string[]): string | null {
  const word = name.slice(0, 80).toLowerCase();
  const most = Math.max(1, Math.floor(word.length / 3));
  const found = known
    .map((one) => {
      const last = one.slice(one.lastIndexOf('/') + 1);
      return { one, far: Math.min(distance(word, one.toLowerCase()), distance(word, last.toLowerCase())) };
    })
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far)[0];
  return found?.one ?? null;
}

/** What there is, and what was probably meant, as the end of a sentence: `there are: a, b. Did you mean a?` */
export function whatThereIs(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'there are none';
  const near = nearest(name, known);
  return `there are: ${known.join(', ')}${near ? `. Did you mean ${near}?` : ''}`;
}

/** With its full stop, unless it ends as a question. */
export const ended = (words: string): string => (words.endsWith('?') ? words : `${words}.`);
