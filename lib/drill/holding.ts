import type { StepRecord } from './model.ts';

/** Labels of steps whose executor is still held after the last of these records. */
export function heldAfter(records: readonly StepRecord[]): string[] {
  const held = new Set<string>();
  for (const record of records) {
    // A release ends what it names, unless something of it is held again, or another role of it still is.
    const label = record.spec.release ?? record.label;
    const still = record.executors.some((end) => end.held !== null);
    if (still) held.add(label);
    else held.delete(label);
  }
  return [...held];
}
