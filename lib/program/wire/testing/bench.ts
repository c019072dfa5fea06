/**
 * What a proxy costs: writes one after the other, direct and through the proxy in turn, medians of three.
 * `node lib/program/wire/testing/bench.ts [writes]`; the client is a process of its own.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startWire, type WireKind } from '../wire.ts';
import { startPostgres } from './postgres-server.ts';
import { command, NO_REDIS, RedisClient, startRedis } from './redis-server.ts';

const ROUNDS = 3;
const WRITES = 10_000;

/** Makes one connection; the function that it returns writes once. */
const CLIENTS: Record<WireKind, (port: number) => Promise<(id: number) => Promise<unknown>>> = {
  postgres: async (port) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres' });
    await client.connect();
    await client.query('DROP TABLE IF EXISTS rows; CREATE TABLE rows (id int, text text)');
    return (id) => client.query('INSERT INTO rows VALUES ($1, $2)', [id, 'text']);
  },
  redis: async (port) => {
    const client = new RedisClient(port);
    return (id) => client.expect(command('SET', `key-${id}`, 'text'), '+OK\r\n');
  },
  http: async (port) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return async () => {
      const sent = request({ host: '127.0.0.1', port, path: '/charges', method: 'POST', agent });
      sent.end('{"amount":1}');
      const [reply] = await once(sent, 'response');
      reply.resume();
      await once(reply, 'end');
    };
  },
};

async function client(kind: WireKind, port: number, writes: number): Promise<void> {
  const write = await CLIENTS[kind](port);
  const start = performance.now();
  for (let id = 0; id < writes; id += 1) await write(id);
  console.log((performance.now() - start) / 1000);
  process.exit();
}

async function compare(kind: WireKind, port: number, writes: number): Promise<void> {
  const control = mkdtempSync(join(tmpdir(), 'drill-bench-'));
  const target = { host: '127.0.0.1', port };
  const wire = await startWire({ service: kind, kind, target, control, kill: () => {} });
  const run = async (to: number) => {
    const args = [import.meta.filename, '--client', kind, String(to), String(writes)];
    return Number((await promisify(execFile)(process.execPath, args)).stdout);
  };
  const direct: number[] = [];
  const proxy: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    direct.push(await run(port));
    proxy.push(await run(wire.port));
  }
  await wire.close();
  rmSync(control, { recursive: true });
  const median = (values: number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  const slower = `${((median(proxy) / median(direct) - 1) * 100).toFixed(0)} %`;
  console.log(JSON.stringify({ kind, writes, slower, direct, proxy }));
}

async function main(writes: number): Promise<void> {
  const postgres = await startPostgres();
  await compare('postgres', postgres.port, writes).finally(() => postgres.stop());
  if (NO_REDIS) console.log(NO_REDIS);
  else {
    const redis = await startRedis();
    await compare('redis', redis.port, writes).finally(() => redis.stop());
  }
  const http = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.end('done'));
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  await compare('http', (http.address() as { port: number }).port, writes);
  http.close();
}

const [first, kind, port, writes] = process.argv.slice(2);
if (first === '--client') await client(kind as WireKind, Number(port), Number(writes));
else await main(Number(first ?? WRITES));
