/** The words on a commit map, given from outside: this folder knows no language. */
export interface MapWords {
  /** Name of a row of processes: `process`, or the role of a lab's own child. */
  row(role: string): string;
  /** Under a bar. */
  pid(pid: number): string;
  bar(step: number, verb: string, pid: number, end: 'done' | 'crashed' | 'held'): string;
  commit(step: number, label: string, store: string, pid: number): string;
  never(label: string): string;
  neverSpoken(label: string, store: string): string;
  died(at: string | null, signal: string | null): string;
  callerSaw(code: number | null, signal: string | null): string;
  /** What a dead child's parent went on with. */
  childDied(role: string): string;
  held(at: string): string;
  open: string;
  closed: string;
  /** Where what was said of the effect is not so, or cannot be checked; null: a recovery said it. */
  claimed(who: string | null, effect: string): string;
  claimedSpoken(from: number, to: number, effect: string): string;
  openSpoken(step: number): string;
  closedSpoken(from: number, to: number): string;
}
