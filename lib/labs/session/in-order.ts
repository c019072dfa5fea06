/** One order for what two processes do at the same time, so that a drill reaches the same boundaries every time. */
import { join } from 'node:path';
import { blockUntil } from '../../boundary/boundary.ts';
import { existsSync, readFileSync } from '../../core/fs.ts';
import { isAlive } from '../../core/process.ts';

/** Calls of one connection, at the server: each is acted on after the client has marked it as sent. */
export class InOrder {
  private readonly client = process.ppid;
  private readonly trace = process.env.DRILL_CONTROL && join(process.env.DRILL_CONTROL, 'trace.ndjson');
  /** Marks that there must be; those of earlier connections are there already. */
  private marks = this.passed();

  private passed(): number {
    if (!this.trace || !existsSync(this.trace)) return 0;
    const lines = readFileSync(this.trace, 'utf8').split('\n');
    const mine = `"pid":${this.client}}`;
    return lines.filter((line) => line.startsWith('{"boundary":"after-send"') && line.includes(mine)).length;
  }

  /** Blocks until the mark is there, or the client has ended. Outside a drill there are no marks to wait for. */
  afterClient(): void {
    this.marks += 1;
    if (this.trace) blockUntil(() => this.passed() >= this.marks || !isAlive(this.client, ''));
  }
}
