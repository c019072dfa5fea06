/** A Redis of its own for a test file, where Debian's redis-server is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, type TestServer } from './postgres-server.ts';

const PROGRAM = '/usr/bin/redis-server';

/** Why there is no Redis here; undefined where there is one. */
export const NO_REDIS = existsSync(PROGRAM)
  ? undefined
  : `${PROGRAM} is missing: install it with "apt-get install redis-server"`;

export async function startRedis(): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'drill-redis-'));
  const port = await freePort();
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = spawn(PROGRAM, settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(server, 'exit');
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('Ready to accept connections')) break;
  }
  server.stdout.resume();
  return {
    port,
    stop: async () => {
      server.kill('SIGKILL');
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export function command(...words: string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** One connection that sends bytes and waits for bytes. */
export class RedisClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  /** The code of the error that ended the connection. */
  error: string | undefined;
  text = '';
  #came = () => {};

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code;
    });
    this.socket.on('data', (text: string) => {
      this.text += text;
      this.#came();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        resolve();
        this.#came();
      });
    });
  }

  /** Sends, and waits for exactly these bytes. */
  async expect(bytes: string, reply: string): Promise<void> {
    this.text = '';
    this.socket.write(bytes, 'latin1');
    while (this.text.length < reply.length && !this.socket.destroyed) {
      await new Promise<void>((resolve) => {
        this.#came = resolve;
      });
    }
    if (this.text !== reply) throw new Error(`got ${JSON.stringify(this.text.slice(0, 200))}`);
  }
}
