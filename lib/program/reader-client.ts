/** Parent side of the reader: one request at a time, each with a deadline. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot } from '../core/project-root.ts';
import type { Answer, ReadReply, ReadRequest } from './reader.ts';

const DEADLINE_MS = 10_000;

type Pending = { resolve: (reply: ReadReply | null) => void; at: number };

/** A child that reads stores. It is started at the first request, and again after it had to be killed. */
export class Reader {
  private child: ChildProcess | null = null;
  private pending: Pending | null = null;

  private start(): ChildProcess {
    const base = join(projectRoot(), 'lib', 'program', 'reader');
    const file = existsSync(`${base}.ts`) ? `${base}.ts` : `${base}.js`;
    const wrapper = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
    const words = [process.execPath, file, 'serve'];
    const [program, args] = wrapper
      ? [wrapper, ['--pdeathsig', 'KILL', ...words]]
      : [process.execPath, words.slice(1)];
    const env = {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: join(projectRoot(), 'node_modules', '.cache', 'executor'),
    };
    const child = spawn(program, args, {
      env: env as unknown as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin?.on('error', () => {});
    child.on('error', () => this.lost(child));
    child.on('exit', () => this.lost(child));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      this.take(child, line),
    );
    this.child = child;
    return child;
  }

  private lost(child: ChildProcess): void {
    if (this.child !== child) return;
    this.child = null;
    this.settle(null);
  }

  private settle(reply: ReadReply | null): void {
    const { pending } = this;
    this.pending = null;
    pending?.resolve(reply);
  }

  private take(child: ChildProcess, line: string): void {
    if (this.child !== child || !this.pending) return;
    const message = JSON.parse(line) as ReadReply | { at: number };
    if ('at' in message) this.pending.at = message.at;
    else this.settle(message);
  }

  private send(
    request: ReadRequest | { forget: string[] },
    deadlineMs: number,
  ): Promise<{ reply: ReadReply | null; at: number }> {
    const child = this.child ?? this.start();
    return new Promise((resolve) => {
      const pending: Pending = { at: -1, resolve: () => {} };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        this.lost(child);
      }, deadlineMs);
      pending.resolve = (reply) => {
        clearTimeout(timer);
        resolve({ reply, at: pending.at });
      };
      this.pending = pending;
      child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
  }

  /**
   * Asks queries, each store in one snapshot.
   *
   * @returns one answer a query, in their order: rows, or why there are none. Throws nothing
   */
  async ask(request: ReadRequest, deadlineMs = DEADLINE_MS): Promise<ReadReply> {
    const { reply, at } = await this.send(request, deadlineMs);
    if (reply) return reply;
    // Which query it was is known; what the others would have answered is not.
    const answers = request.queries.map<Answer>((_, index) => ({
      problem:
        index === at ? `it had not answered after ${deadlineMs / 1000}s` : 'another query had to be killed',
    }));
    return { answers, integrity: [] };
  }

  /** Ends its connections to databases that are about to be dropped. */
  async forget(urls: readonly string[]): Promise<void> {
    if (this.child && urls.length > 0) await this.send({ forget: [...urls] }, 1000);
  }

  close(): void {
    const { child } = this;
    this.child = null;
    this.settle(null);
    child?.kill('SIGKILL');
  }
}
