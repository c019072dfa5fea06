import { availableParallelism } from 'node:os';

/** Who asks: a person's click goes before a cell of a sweep. */
export type Rank = 'person' | 'sweep';

interface Waiting {
  rank: Rank;
  weight: number;
  go: () => void;
}

/**
 * Executors that may work at once (docs/design.md, "Safety"). Held ones give their place back when their step ends, so
 * that the step which releases them can run.
 */
export class Slots {
  private readonly capacity: number;
  private used = 0;
  private readonly line: Waiting[] = [];

  constructor(capacity: number = availableParallelism()) {
    this.capacity = Math.max(1, capacity);
  }

  /**
   * Takes places, persons before sweeps, else first come first served. A race wider than the capacity has all of them to itself.
   *
   * @param onWait called when there is no place now
   * @returns gives the places back; to be called once
   */
  async take(executors: number, onWait?: () => void, rank: Rank = 'person'): Promise<() => void> {
    const weight = Math.min(Math.max(1, executors), this.capacity);
    const ahead = this.line.filter((other) => other.rank === 'person' || rank === 'sweep');
    if (ahead.length > 0 || this.used + weight > this.capacity) {
      onWait?.();
      await new Promise<void>((go) => this.line.splice(ahead.length, 0, { rank, weight, go }));
    } else {
      this.used += weight;
    }
    return () => {
      this.used -= weight;
      this.next();
    };
  }

  private next(): void {
    for (let head = this.line[0]; head && this.used + head.weight <= this.capacity; head = this.line[0]) {
      this.line.shift();
      this.used += head.weight;
      head.go();
    }
  }
}
