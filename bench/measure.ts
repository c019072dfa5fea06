/** Figures: medians and p95, and goals in multiples of a floor. */

export interface Row {
  measure: string;
  /** In milliseconds, or bare counts where `unit` is null. */
  values: number[];
  /** What the goal is a multiple of; null where it is an absolute figure. */
  floor: { name: string; ms: number } | null;
  goal: number | null;
  note?: string;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Times `work`, so many times, one after another; each before it is timed may be prepared. */
export async function times(
  count: number,
  work: (index: number) => unknown,
  prepare?: (index: number) => unknown,
): Promise<number[]> {
  const values: number[] = [];
  for (let index = 0; index < count; index += 1) {
    await prepare?.(index);
    const start = performance.now();
    await work(index);
    values.push(performance.now() - start);
  }
  return values;
}

const cell = (text: string, width: number) => text.padEnd(width);

export function rowText({ measure, values, floor, goal, note }: Row): string {
  const [middle, late] = [median(values), quantile(values, 0.95)];
  const multiple = floor ? middle / floor.ms : null;
  const figures = [
    cell(measure, 62),
    cell(`n ${values.length}`, 7),
    cell(`${middle.toFixed(1)} ms`, 11),
    cell(values.length > 1 ? `p95 ${late.toFixed(1)}` : '', 13),
    cell(multiple === null ? '' : `${multiple.toFixed(2)} x ${floor?.name}`, 16),
    goal === null ? '' : `goal ${goal}: ${(multiple ?? middle) <= goal ? 'met' : 'missed'}`,
  ];
  return `${figures.join(' ').trimEnd()}${note ? `\n    ${note}` : ''}`;
}
