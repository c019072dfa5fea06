/**
 * Ready executors (docs/protocol.md): started before they are asked for, each a process of its own that
 * serves one step of one run and ends. Only the wait for its start-up is saved; its death is as real as any.
 */
import { availableParallelism } from 'node:os';
import { type Started, startExecutor } from './launch.ts';
import { isAlive } from './processes.ts';

interface Waiter {
  lab: string | null;
  started: Started;
  ready: boolean;
}

export interface PoolOptions {
  /** Executors that wait; as many as cores if left out. */
  size?: number;
  /** Starts one; for tests. */
  start?: (lab: string | null, waits: boolean) => Promise<Started>;
}

/** After a waiter that died by itself, so many milliseconds until the next start, doubled with each, up to the last. */
const PAUSE_MS = { first: 50, last: 5_000 };

/**
 * While another executor waits, the next start-up stays out of the way of the step under way and of the page that
 * shows what came of it.
 */
const REFILL_AFTER_MS = 150;

export class Pool {
  private readonly size: number;
  private readonly start: (lab: string | null, waits: boolean) => Promise<Started>;
  private readonly waiters = new Set<Waiter>();
  /** Labs of the last requests, newest first, as many as the pool holds: what the next ones will ask for. */
  private recent: string[] = [];
  private filling: Promise<void> | null = null;
  private pause = 0;
  private closed = false;
  private wake: () => void = () => {};

  constructor(options: PoolOptions = {}) {
    this.size = Math.max(1, options.size ?? availableParallelism());
    this.start = options.start ?? startExecutor;
  }

  /** Pids of the executors that wait now. */
  waiting(): number[] {
    return [...this.waiters].map((waiter) => waiter.started.pid);
  }

  /** Fills the pool; settles when it is full, every executor at its request, or when it was closed. */
  async warm(lab?: string): Promise<void> {
    if (lab) this.recent = Array.from({ length: this.size }, () => lab);
    while (this.plan().lacks.length > 0 || this.filling) {
      this.fill();
      await this.filling;
    }
  }

  /**
   * An executor for one request: one that waits, else a fresh one. The pool refills behind it.
   *
   * @param lab what it will be asked for; one that has another lab loaded is never given
   * @throws DrillError `unavailable` where none waits and the operating system starts no process
   */
  async take(lab: string): Promise<Started> {
    this.recent = [lab, ...this.recent].slice(0, this.size);
    const found = this.choose(lab);
    if (!found) {
      const fresh = await this.start(lab, false);
      this.fill();
      return fresh;
    }
    this.waiters.delete(found);
    if (this.waiters.size === 0) this.fill();
    else setTimeout(() => this.fill(), REFILL_AFTER_MS).unref();
    return found.started;
  }

  /** Ends every executor that waits; those that were taken are their takers'. */
  async close(): Promise<void> {
    this.closed = true;
    this.wake();
    await this.filling;
    await this.end([...this.waiters]);
  }

  private choose(lab: string): Waiter | undefined {
    const alive = [...this.waiters].filter(({ started }) => isAlive(started.pid, started.startTime));
    const rank = (waiter: Waiter) => (waiter.lab === lab ? 2 : 0) + (waiter.ready ? 1 : 0);
    return alive
      .filter((waiter) => waiter.lab === lab || waiter.lab === null)
      .sort((a, b) => rank(b) - rank(a))[0];
  }

  private async end(waiters: readonly Waiter[]): Promise<void> {
    for (const waiter of waiters) {
      this.waiters.delete(waiter);
      waiter.started.signal('SIGKILL');
    }
    await Promise.all(waiters.map((waiter) => waiter.started.end));
  }

  private fill(): void {
    if (this.closed) return;
    this.filling ??= this.refill().finally(() => {
      this.filling = null;
      if (this.plan().lacks.length > 0) this.fill();
    });
  }

  /** What is missing of the labs that are wanted, and which waiters are none of those. */
  private plan(): { lacks: (string | null)[]; surplus: Waiter[] } {
    const surplus = [...this.waiters];
    const lacks: (string | null)[] = [];
    for (let place = 0; place < this.size; place += 1) {
      const lab = this.recent[place] ?? null;
      const found = surplus.findIndex((waiter) => waiter.lab === lab);
      if (found === -1) lacks.push(lab);
      else surplus.splice(found, 1);
    }
    return { lacks: this.closed ? [] : lacks, surplus };
  }

  /**
   * One at a time, so that the start-ups leave the other cores to the server and to the steps; together where none is
   * left, since the next step would have to wait for one anyway.
   */
  private async refill(): Promise<void> {
    for (let plan = this.plan(); plan.lacks.length > 0; plan = this.plan()) {
      await this.end(plan.surplus.slice(0, plan.lacks.length));
      if (this.pause > 0) await this.rest();
      if (this.closed) return;
      const together = this.waiters.size === 0 ? plan.lacks : plan.lacks.slice(0, 1);
      await Promise.all(together.map((lab) => this.add(lab)));
    }
  }

  private async add(lab: string | null): Promise<void> {
    let started: Started;
    try {
      started = await this.start(lab, true);
    } catch {
      // No process could be had; a step that needs one says so itself.
      this.slower();
      return;
    }
    const waiter: Waiter = { lab, started, ready: false };
    this.waiters.add(waiter);
    void started.end.then(() => {
      if (!this.waiters.delete(waiter)) return;
      this.slower();
      this.fill();
    });
    await started.ready;
    waiter.ready = true;
    if (this.waiters.has(waiter) && isAlive(started.pid, started.startTime)) this.pause = 0;
  }

  private slower(): void {
    this.pause = Math.min(PAUSE_MS.last, Math.max(PAUSE_MS.first, this.pause * 2));
  }

  private async rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.pause);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
