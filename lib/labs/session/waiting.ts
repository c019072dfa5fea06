/** Waiting for something that an event brings, with a bound. */
import { DrillError } from '../../core/errors.ts';

export class Waiting {
  /** A failure of the store in the middle of an event: whoever waits is told, since an event has no caller. */
  failure: DrillError | null = null;
  private waiters: (() => void)[] = [];

  /**
   * Resolves when `done` answers true; false when the time has passed first.
   *
   * @throws DrillError what the store failed with meanwhile
   */
  async until(done: () => boolean, limitMs: number): Promise<boolean> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.changed();
    }, limitMs);
    while (!done() && !late && !this.failure) {
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
    clearTimeout(timer);
    if (this.failure) throw this.failure;
    return done();
  }

  changed(): void {
    for (const waiter of this.waiters.splice(0)) waiter();
  }

  /** Does an event's work; a failure of the store is kept for whoever waits, anything else is a defect. */
  guard<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  fail(error: unknown): void {
    if (!(error instanceof DrillError)) throw error;
    this.failure ??= error;
    this.changed();
  }
}
