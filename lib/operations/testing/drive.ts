/** Starts, drives and kills hosts; see host.ts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { Fault } from '../../boundary/boundary.ts';
import { projectRoot } from '../../core/project-root.ts';
import type { RunView } from '../model.ts';

export interface Answer<T> {
  ok?: T;
  error?: string;
  code?: string;
  definite?: boolean;
}

const hosts = new Set<Host>();

export class Host {
  readonly child: ChildProcess;
  readonly end: Promise<{ code: number | null; signal: string | null }>;
  private readonly lines: AsyncIterator<string>;
  private readonly control: string | null;

  constructor(data: string, options: { faults?: Partial<Fault>[]; control?: string } = {}) {
    this.control = options.control ?? null;
    const env: Record<string, string | undefined> = { ...process.env, DRILL_DATA_DIR: data };
    if (this.control) {
      mkdirSync(this.control, { recursive: true });
      const faults = (options.faults ?? []).map((fault) => ({
        hit: 1,
        role: 'executor',
        action: 'kill',
        ...fault,
      }));
      writeFileSync(join(this.control, 'faults.json'), JSON.stringify(faults));
      env.DRILL_CONTROL = this.control;
    }
    const file = join(projectRoot(), 'lib', 'operations', 'testing', 'host.ts');
    this.child = spawn(process.execPath, [file], {
      env: env as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdin?.on('error', () => {});
    hosts.add(this);
    this.lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]();
    this.end = new Promise((resolve) =>
      this.child.once('close', (code, signal) => resolve({ code, signal })),
    );
  }

  send(op: string, input?: unknown): void {
    this.child.stdin?.write(`${JSON.stringify({ op, input })}\n`);
  }

  /** The next answer; null where the host died before giving it. */
  async answer<T>(): Promise<Answer<T> | null> {
    const { value, done } = await this.lines.next();
    return done ? null : (JSON.parse(value) as Answer<T>);
  }

  async ask<T>(op: string, input?: unknown): Promise<Answer<T> | null> {
    this.send(op, input);
    return this.answer<T>();
  }

  /** The result of an operation that has to succeed. */
  async must<T>(op: string, input?: unknown): Promise<T> {
    const answer = await this.ask<T>(op, input);
    if (!answer || answer.error !== undefined) throw new Error(`${op}: ${answer?.error ?? 'the host died'}`);
    return answer.ok as T;
  }

  run(id: string): Promise<RunView> {
    return this.must<RunView>('get', id);
  }

  /** Settles when the host has come to a boundary of the store and is held there. */
  async held(boundary: string): Promise<void> {
    const file = join(this.control as string, 'trace.ndjson');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes(`"held":"${boundary}"`));
  }

  release(boundary: string, hit: number): void {
    writeFileSync(join(this.control as string, `release-${this.child.pid}-${boundary}-${hit}`), '');
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.end;
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.end;
  }
}

const PATIENCE_MS = 30_000;

/** Waits for a fact on disk or in the process table; the test fails where it never comes. */
export async function until(fact: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!fact()) {
    if (Date.now() > deadline) throw new Error('what the test waits for did not come');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A test with a directory of its own, which stays where it fails. */
export function inDirectory(name: string, work: (dir: string) => Promise<void>): void {
  test(name, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'drill-operations-'));
    try {
      await work(dir);
    } catch (error) {
      process.stderr.write(`Kept: ${dir}\n`);
      throw error;
    } finally {
      for (const host of hosts) await host.kill();
      hosts.clear();
    }
    rmSync(dir, { recursive: true, force: true });
  });
}
