/** The name that was meant. */

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, change));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** ` Did you mean "x"?` for the nearest known name, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = known
    .map((one) => ({ one, far: distance(name.toLowerCase().slice(0, 60), one.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)[0];
  return near && near.far <= (name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3)))
    ? ` Did you mean "${near.one}"?`
    : '';
}
