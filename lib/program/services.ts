/** What a lab's program speaks to: servers shared by all runs, and what each run gets for itself. */
import { DrillError } from '../core/errors.ts';
import { failureOf, Running, runToEnd } from './command.ts';
import type { ProgramLab } from './load.ts';
import { freePort, waitForPort } from './ports.ts';
import { type Address, PgServer } from './postgres.ts';
import { EmbeddedRedis, GivenRedis, type RedisRun } from './redis.ts';
import { milliseconds, type ServiceSpec } from './schema.ts';
import { fill, variablesOf } from './variables.ts';

const READY = '20s';

/** Something that a proxy can stand before. */
export interface Endpoint {
  id: string;
  kind: 'postgres' | 'redis' | 'http';
  target: Address;
}

/** The services of one run. */
export interface RunServices {
  endpoints: Endpoint[];
  /** Passwords that we made. */
  secrets: Record<string, string>;
  /** URL of each PostgreSQL database of this run, for reading evidence. */
  databases: Record<string, string>;
  /** `pg.url` and the like; with the address of a proxy where there is one. */
  vars(proxies?: Readonly<Record<string, Address>>): Record<string, string>;
  /** Starts the programs among the services, or resets what is there already. */
  begin(context: RunContext): Promise<void>;
  /** Waits for the program's database sessions to end; how many had to be ended. */
  sessionsGone(): Promise<number>;
  /** Why one of them does not live any more, or null. */
  problem(): string | null;
  close(): Promise<void>;
}

export interface RunContext {
  dir: string;
  env: Record<string, string>;
  secrets: Record<string, string>;
  step: string;
}

interface Part {
  vars(at?: Address): Record<string, string>;
  endpoint?: Omit<Endpoint, 'id'>;
  secret?: string;
  database?: string;
  begin?(context: RunContext, vars: Record<string, string>): Promise<void>;
  sessionsGone?(): Promise<number>;
  problem(): string | null;
  freeze?(): Promise<void>;
  close(): Promise<void>;
}

interface Shared {
  part(): Promise<Part>;
  exclusive?: boolean;
  problem(): string | null;
  stop(): Promise<void>;
}

const addressVars = (url: string, { host, port }: Address) => ({ url, host, port: String(port) });

function postgres(server: PgServer): Shared {
  let template: string | undefined;
  return {
    problem: () => server.problem(),
    stop: () => server.stop(),
    async part() {
      const name = await server.create(template);
      return {
        vars: (at = server.address) => addressVars(server.url(name, at), at),
        endpoint: { kind: 'postgres', target: server.address },
        secret: server.password,
        database: server.url(name),
        sessionsGone: () => server.sessionsGone(name),
        problem: () => server.problem(),
        async freeze() {
          template = name;
        },
        async close() {
          if (name !== template) await server.drop(name);
        },
      };
    },
  };
}

function redis(server: EmbeddedRedis | GivenRedis): Shared {
  return {
    exclusive: server instanceof GivenRedis,
    problem: () => null,
    stop: async () => {},
    async part() {
      const run: RedisRun = await server.run();
      const target = { host: run.url.hostname, port: Number(run.url.port || 6379) };
      return {
        vars(at = target) {
          const url = new URL(run.url.href);
          url.hostname = at.host;
          url.port = String(at.port);
          return addressVars(url.href, at);
        },
        endpoint: { kind: 'redis', target },
        secret: decodeURIComponent(run.url.password),
        problem: () => run.problem(),
        freeze: () => server.freeze(run),
        close: () => run.close(),
      };
    },
  };
}

function program(lab: ProgramLab, id: string, spec: ServiceSpec): Shared {
  return {
    problem: () => null,
    stop: async () => {},
    async part() {
      const port = await freePort();
      const target = { host: '127.0.0.1', port };
      let running: Running | null = null;
      return {
        vars: (at = target) => addressVars(`http://${at.host}:${at.port}`, at),
        endpoint: { kind: 'http', target },
        problem: () => (running?.ended ? `the service ${id} has ended: ${lastLine(running.text())}` : null),
        async begin(context, vars) {
          const values = { ...vars, PORT: String(port) };
          const own = Object.entries(spec.env ?? {}).map(([name, value]) => [
            name,
            fill(value, { ...process.env, ...values }),
          ]);
          const env = { ...context.env, ...Object.fromEntries(own), PORT: String(port) };
          const words = (spec.run as string[]).map((word) =>
            fill(word, { ...env, ...values, LAB: lab.folder }),
          );
          running = new Running(words, {
            cwd: context.dir,
            env,
            secrets: context.secrets,
            step: `${context.step}-service-${id}`,
          });
          const started = running;
          const at = Number(fill((spec.ready as { port: string }).port, { ...env, ...values }));
          const state = await waitForPort('127.0.0.1', at, milliseconds(READY), () => started.ended);
          if (state !== 'ready') {
            const why =
              state === 'ended'
                ? `it ended: ${lastLine(running.text())}`
                : `nothing listens on port ${at} after ${READY}`;
            throw new DrillError('unavailable', `The service ${id} did not start: ${why}.`);
          }
        },
        async close() {
          if (!running) return;
          running.timedOut = true;
          running.kill();
          await running.exited;
          await running.finish();
        },
      };
    },
  };
}

const lastLine = (text: string) => text.trim().split('\n').at(-1)?.slice(0, 200) || 'it printed nothing';

function http(lab: ProgramLab, id: string, spec: ServiceSpec, text: string): Shared {
  if (!URL.canParse(text) || !text.startsWith('http:'))
    throw new DrillError('usage', `services.${id}: its URL is not like http://host:8080.`);
  const base = new URL(text);
  const target = { host: base.hostname, port: Number(base.port || 80) };
  return {
    exclusive: true,
    problem: () => null,
    stop: async () => {},
    async part() {
      return {
        vars(at = target) {
          const url = new URL(base.href);
          url.hostname = at.host;
          url.port = String(at.port);
          return addressVars(url.href.replace(/\/$/, ''), at);
        },
        endpoint: { kind: 'http', target },
        problem: () => null,
        async begin(context, vars) {
          const words = (spec.reset as string[]).map((word) =>
            fill(word, { ...context.env, ...vars, LAB: lab.folder }),
          );
          const options = {
            cwd: context.dir,
            env: context.env,
            secrets: context.secrets,
            step: `${context.step}-reset-${id}`,
          };
          const failed = failureOf(words, await runToEnd(words, { ...options, withinMs: 30_000 }), '30s');
          if (failed) throw new DrillError('unavailable', `The service ${id} could not be reset: ${failed}`);
        },
        close: async () => {},
      };
    },
  };
}

/** Values of variables of ours that a text names. @throws DrillError `usage` for one that is not set */
export function ours(text: string, where: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of variablesOf(text)) {
    if (!/^[A-Z_][A-Z0-9_]*$/.test(name) || name === 'LAB') continue;
    const value = process.env[name];
    if (value === undefined)
      throw new DrillError('usage', `${where}: $${name} is not set in this environment.`);
    values[name] = value;
  }
  return values;
}

async function open(
  lab: ProgramLab,
  id: string,
  spec: ServiceSpec,
  scratch: string,
  embedded: () => Promise<PgServer>,
): Promise<Shared> {
  const given = (text: string) => fill(text, ours(text, `services.${id}`));
  if (spec.postgres === 'embedded') return postgres(await embedded());
  if (spec.postgres !== undefined) return postgres(await PgServer.given(given(spec.postgres), id));
  if (spec.redis === 'embedded') return redis(new EmbeddedRedis(scratch, id));
  if (spec.redis !== undefined) return redis(await GivenRedis.open(given(spec.redis), id));
  if (spec.run !== undefined) return program(lab, id, spec);
  return http(lab, id, spec, given(spec.http as string));
}

/** All services of a lab. */
export class Services {
  private readonly shared = new Map<string, Shared>();

  /** @throws DrillError `unavailable`, `usage` or `refused`; what was started by then has ended */
  static async open(lab: ProgramLab, scratch: string): Promise<Services> {
    const services = new Services();
    // One embedded server has the databases of all services.
    let server: Promise<PgServer> | undefined;
    const embedded = () => {
      server ??= PgServer.embedded(lab.folder, scratch);
      return server;
    };
    try {
      for (const [id, spec] of Object.entries(lab.spec.services))
        services.shared.set(id, await open(lab, id, spec, scratch, embedded));
      return services;
    } catch (error) {
      await services.stop();
      throw error;
    }
  }

  /** True where two runs at once would meet in a service. */
  get exclusive(): boolean {
    return [...this.shared.values()].some((shared) => shared.exclusive);
  }

  problem(): string | null {
    return (
      [...this.shared.values()].map((shared) => shared.problem()).find((problem) => problem !== null) ?? null
    );
  }

  /** What one run gets; `freeze` makes its databases the beginning of all later ones. */
  async run(): Promise<RunServices & { freeze(): Promise<void> }> {
    const parts = new Map<string, Part>();
    const close = async () => {
      for (const part of parts.values()) await part.close();
    };
    try {
      for (const [id, shared] of this.shared) parts.set(id, await shared.part());
    } catch (error) {
      await close().catch(() => {});
      throw error;
    }
    const each = <T>(take: (part: Part) => T | undefined): [string, T][] =>
      [...parts].flatMap(([id, part]) => {
        const value = take(part);
        return value === undefined ? [] : [[id, value] as [string, T]];
      });
    const vars = (proxies: Readonly<Record<string, Address>> = {}) =>
      Object.fromEntries(
        [...parts].flatMap(([id, part]) =>
          Object.entries(part.vars(proxies[id])).map(([name, value]) => [`${id}.${name}`, value]),
        ),
      );
    return {
      endpoints: each((part) => part.endpoint).map(([id, endpoint]) => ({ id, ...endpoint })),
      secrets: Object.fromEntries(
        each((part) => part.secret).map(([id, secret]) => [`${id}.password`, secret]),
      ),
      databases: Object.fromEntries(each((part) => part.database)),
      vars,
      async begin(context) {
        for (const part of parts.values()) await part.begin?.(context, vars());
      },
      async sessionsGone() {
        let ended = 0;
        for (const part of parts.values()) ended += (await part.sessionsGone?.()) ?? 0;
        return ended;
      },
      problem: () =>
        [...parts.values()].map((part) => part.problem()).find((problem) => problem !== null) ?? null,
      async freeze() {
        for (const part of parts.values()) await part.freeze?.();
      },
      close,
    };
  }

  async stop(): Promise<void> {
    for (const shared of this.shared.values()) await shared.stop();
    this.shared.clear();
  }
}
