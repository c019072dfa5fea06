/** What the proxy costs: `node lib/program/wire/testing/bench-postgres.ts [inserts]`, direct and through it, in turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startWire } from '../wire.ts';
import { startPostgres } from './postgres-server.ts';

const inserts = Number(process.argv[2] ?? 10_000);
const ROUNDS = 3;

async function seconds(port: number): Promise<number> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres' });
  await client.connect();
  await client.query('DROP TABLE IF EXISTS rows; CREATE TABLE rows (id int, text text)');
  const start = performance.now();
  for (let id = 0; id < inserts; id += 1)
    await client.query('INSERT INTO rows VALUES ($1, $2)', [id, 'text']);
  const took = (performance.now() - start) / 1000;
  await client.end();
  return took;
}

const server = await startPostgres();
const control = mkdtempSync(join(tmpdir(), 'drill-bench-'));
const wire = await startWire({
  service: 'pg',
  kind: 'postgres',
  target: { host: '127.0.0.1', port: server.port },
  control,
  kill: () => {},
});
try {
  const took: Record<'direct' | 'proxy', number[]> = { direct: [], proxy: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    took.direct.push(await seconds(server.port));
    took.proxy.push(await seconds(wire.port));
  }
  const median = (values: number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  const [direct, proxy] = [median(took.direct), median(took.proxy)];
  console.log(
    JSON.stringify({ inserts, direct, proxy, slower: `${((proxy / direct - 1) * 100).toFixed(1)} %`, took }),
  );
} finally {
  await wire.close();
  await server.stop();
  rmSync(control, { recursive: true, force: true });
}
