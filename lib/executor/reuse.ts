/**
 * Executors that serve one step after another: for sweeps, where a start costs more than the step. One that ended its
 * command in good order is asked again; after a crash the next one is a fresh process, as in life.
 */
import { type Started, startExecutor } from './launch.ts';
import { isAlive } from './processes.ts';

export class Reuse {
  private readonly start: (lab: string) => Promise<Started>;
  private readonly idle: Started[] = [];
  private readonly all = new Set<Started>();

  /** @param start makes a fresh executor; without it each is started for itself */
  constructor(start: (lab: string) => Promise<Started> = (lab) => startExecutor(lab)) {
    this.start = start;
  }

  /** @returns an executor that waits for its request: one that has served before, else a fresh one */
  async take(lab: string): Promise<Started> {
    for (let found = this.idle.pop(); found; found = this.idle.pop()) {
      if (isAlive(found.pid, found.startTime)) return this.keep(found);
    }
    return this.keep(await this.start(lab));
  }

  private keep(started: Started): Started {
    const kept = {
      ...started,
      keeps: true,
      request: (request) => started.request({ ...request, keep: true }),
    } satisfies Started;
    this.all.add(kept);
    return kept;
  }

  /** Takes back what a step leaves: call it when everything else in the executor's process group has ended. */
  async release(started: Started): Promise<void> {
    if (!this.all.delete(started)) return;
    const end = await started.end;
    if (end.kept) this.idle.push(started.again());
  }

  /** Ends the executors that wait. */
  async close(): Promise<void> {
    const waiting = this.idle.splice(0);
    for (const started of waiting) started.signal('SIGKILL');
    await Promise.all(waiting.map((started) => started.end));
  }
}
