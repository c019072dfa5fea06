/** What the tests of the proxies share: a control directory with faults, a proxy, the trace, a child to kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { tempDir } from '#lib/testing/temp-dir.ts';
import { startWire, type WireKind, type WireOptions } from '../wire.ts';

export interface Fault {
  at: string;
  hit?: number;
  action: string;
  role?: string;
}

export interface WireCase {
  port: number;
  control: string;
  /** Names of the boundaries that were reached, with hits after the first. */
  trace(): string[];
  held(): { held: string; hit: number; pid: number }[];
  release(at: string, hit?: number): void;
  fired(): string[];
  close(): Promise<void>;
}

export function controlDir(t: TestContext, faults: Fault[]): string {
  const dir = mkdtempSync(join(tempDir(t), 'control-'));
  writeFileSync(join(dir, 'faults.json'), JSON.stringify(faults.map((fault) => ({ hit: 1, ...fault }))));
  return dir;
}

/** A proxy before a port of this machine. */
export async function wireCase(
  t: TestContext,
  kind: WireKind,
  port: number,
  faults: Fault[] = [],
  more: Partial<WireOptions> = {},
): Promise<WireCase> {
  const control = more.control ?? controlDir(t, faults);
  const target = { host: '127.0.0.1', port };
  const wire = await startWire({ service: 'test', kind, target, control, kill: () => {}, ...more });
  t.after(() => wire.close());
  const lines = () => {
    const file = join(control, 'trace.ndjson');
    return existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : [];
  };
  return {
    port: wire.port,
    control,
    trace: () =>
      lines()
        .filter((line) => line.boundary)
        .map((line) => (line.hit === 1 ? line.boundary : `${line.boundary} #${line.hit}`)),
    held: () => lines().filter((line) => line.held),
    release: (at, hit = 1) => {
      writeFileSync(join(control, `release-${process.pid}-${encodeURIComponent(at)}-${hit}`), '');
    },
    fired: () => readdirSync(control).filter((file) => file.startsWith('fired-')),
    close: () => wire.close(),
  };
}

/** Settles when `done` answers true, and fails where that never comes. */
export async function until(done: () => boolean): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  while (!done()) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export interface Program {
  /** Ends its process group. */
  kill(): void;
  ended: Promise<{ code: number | null; signal: string | null; output: string }>;
}

/** A program in a process group of its own; the proxy can be started before it, since `kill` is late bound. */
export function program(t: TestContext, file: string, args: string[]): Program {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
  };
  t.after(kill);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, output }));
  return { kill, ended };
}

/** A relay that cuts what passes into pieces of a few bytes, each written by itself. */
export async function chopper(t: TestContext, port: number): Promise<number> {
  let size = 0;
  const chop = (source: Socket, sink: Socket) => {
    source.on('error', () => {});
    source.on('close', () => sink.destroySoon());
    source.on('data', async (chunk: Buffer) => {
      source.pause();
      for (let at = 0; at < chunk.length && !sink.destroyed; ) {
        size = (size % 7) + 1;
        sink.write(chunk.subarray(at, at + size));
        at += size;
        await new Promise((resolve) => setImmediate(resolve));
      }
      source.resume();
    });
  };
  const server = createServer({ noDelay: true }, (client) => {
    const service = connect({ host: '127.0.0.1', port, noDelay: true });
    chop(client, service);
    chop(service, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}
