/** Redis: a server of the system for each run, or a given one whose database is empty. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import { Running } from './command.ts';
import { freePort, waitForPort } from './ports.ts';
import { findProgram } from './references.ts';

const START_MS = 10_000;
type Reply = string | null | Error | Reply[];

/** One reply from its first byte on, or null where more must come. */
function parse(bytes: Buffer, from: number): { value: Reply; end: number } | null {
  const line = bytes.indexOf('\r\n', from);
  if (line === -1) return null;
  const head = bytes.toString('latin1', from + 1, line);
  const after = line + 2;
  const kind = String.fromCharCode(bytes[from] as number);
  if (kind === '$') {
    const length = Number(head);
    if (length < 0) return { value: null, end: after };
    if (bytes.length < after + length + 2) return null;
    return { value: bytes.toString('latin1', after, after + length), end: after + length + 2 };
  }
  if (kind === '*') {
    const list: Reply[] = [];
    let end = after;
    for (let index = 0; index < Number(head); index++) {
      const item = parse(bytes, end);
      if (!item) return null;
      list.push(item.value);
      end = item.end;
    }
    return { value: list, end };
  }
  return { value: kind === '-' ? new Error(head) : head, end: after };
}

/** Sends commands in order on one connection and returns their replies; texts are bytes (latin1). */
function ask(url: URL, commands: readonly string[][]): Promise<Reply[]> {
  const hello = url.password
    ? [
        url.username
          ? ['AUTH', decodeURIComponent(url.username), decodeURIComponent(url.password)]
          : ['AUTH', decodeURIComponent(url.password)],
      ]
    : [];
  const all = [...hello, ['SELECT', url.pathname.slice(1) || '0'], ...commands];
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port || 6379) });
    const replies: Reply[] = [];
    let bytes = Buffer.alloc(0);
    socket.setTimeout(10_000, () => socket.destroy(new Error('it does not answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('it closed the connection')));
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let next = parse(bytes, 0); next; next = bytes.length > 0 ? parse(bytes, 0) : null) {
        replies.push(next.value);
        bytes = bytes.subarray(next.end);
      }
      if (replies.length < all.length) return;
      socket.destroy();
      const failed = replies.find((reply) => reply instanceof Error);
      if (failed) reject(failed);
      else resolve(replies.slice(all.length - commands.length));
    });
    socket.write(
      Buffer.concat(
        all.map((words) =>
          Buffer.from(
            `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word, 'latin1')}\r\n${word}\r\n`).join('')}`,
            'latin1',
          ),
        ),
      ),
    );
  });
}

/** One Redis of one run. */
export interface RedisRun {
  url: URL;
  problem(): string | null;
  close(): Promise<void>;
}

/** Starts redis-server for each run, from what setup left. */
export class EmbeddedRedis {
  private readonly scratch: string;
  private readonly id: string;
  private readonly program: string;
  private count = 0;

  /** @throws DrillError `unavailable` where the system has no redis-server */
  constructor(scratch: string, id: string) {
    const program = findProgram('redis-server');
    if (!program)
      throw new DrillError(
        'unavailable',
        `services.${id}: there is no redis-server on PATH; install it ("apt-get install redis-server") or give a URL.`,
      );
    this.program = program;
    this.scratch = scratch;
    this.id = id;
  }

  private get saved(): string {
    return join(this.scratch, `redis-${this.id}.rdb`);
  }

  async run(): Promise<RedisRun> {
    this.count += 1;
    const dir = join(this.scratch, `redis-${this.id}-${this.count}`);
    mkdirSync(dir);
    if (existsSync(this.saved)) copyFileSync(this.saved, join(dir, 'dump.rdb'));
    const [port, password] = [await freePort(), randomBytes(18).toString('base64url')];
    const running = new Running(
      [
        this.program,
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--requirepass',
        password,
        '--dir',
        dir,
        '--save',
        '',
        '--appendonly',
        'no',
      ],
      { cwd: dir, env: { PATH: process.env.PATH ?? '' }, secrets: {}, step: dir },
    );
    if ((await waitForPort('127.0.0.1', port, START_MS, () => running.ended)) !== 'ready') {
      running.kill();
      throw new DrillError(
        'unavailable',
        `services.${this.id}: redis-server did not start: ${running.text().trim().split('\n').at(-1)}`,
      );
    }
    return {
      url: new URL(`redis://default:${password}@127.0.0.1:${port}/0`),
      problem: () => (running.ended ? 'redis-server has ended' : null),
      close: async () => {
        running.kill();
        await running.exited;
        await running.finish();
      },
    };
  }

  /** Keeps what is in a run's Redis as the beginning of all later runs. */
  async freeze(run: RedisRun): Promise<void> {
    await ask(run.url, [['SAVE']]);
    copyFileSync(join(this.scratch, `redis-${this.id}-${this.count}`, 'dump.rdb'), this.saved);
  }
}

/** A given Redis: its database must be empty, and is emptied again after each run. Runs go one at a time. */
export class GivenRedis {
  private readonly url: URL;
  private dump: [key: string, ttl: string, value: string][] = [];

  private constructor(url: URL) {
    this.url = url;
  }

  /** @throws DrillError `unavailable` where it does not answer, `refused` where its database is not empty */
  static async open(text: string, id: string): Promise<GivenRedis> {
    if (!URL.canParse(text) || !text.startsWith('redis:'))
      throw new DrillError('usage', `services.${id}: its URL is not like redis://host:6379/0.`);
    const url = new URL(text);
    let size: Reply | undefined;
    try {
      [size] = await ask(url, [['DBSIZE']]);
    } catch (cause) {
      throw new DrillError(
        'unavailable',
        `services.${id}: Redis does not answer: ${(cause as Error).message}.`,
        { cause },
      );
    }
    if (size !== '0')
      throw new DrillError(
        'refused',
        `services.${id}: the Redis database holds ${size} keys; give one that is empty, like redis://host:6379/15.`,
      );
    return new GivenRedis(url);
  }

  async run(): Promise<RedisRun> {
    const restore = this.dump.map(([key, ttl, value]) => ['RESTORE', key, ttl, value]);
    if (restore.length > 0) await ask(this.url, restore);
    return {
      url: this.url,
      problem: () => null,
      close: async () => {
        await ask(this.url, [['FLUSHDB']]).catch(() => {});
      },
    };
  }

  async freeze(run: RedisRun): Promise<void> {
    const [keys] = await ask(run.url, [['KEYS', '*']]);
    this.dump = [];
    for (const key of keys as string[]) {
      const [ttl, value] = await ask(run.url, [
        ['PTTL', key],
        ['DUMP', key],
      ]);
      if (typeof value === 'string') this.dump.push([key, String(Math.max(0, Number(ttl))), value]);
    }
  }
}
