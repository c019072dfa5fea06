import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { projectRoot } from '../core/project-root.ts';
import { loadProgram } from './load.ts';
import { PgServer } from './postgres.ts';
import { machine, makeScratch, remove } from './scratch.ts';
import { sweepProgram } from './sweep.ts';
import { leftBehind, smallLab } from './testing/lab.ts';

const outbox = () => loadProgram(join(projectRoot(), 'examples', 'outbox-postgres', 'drill.yaml'));

test('an outbox on PostgreSQL has the same outcomes by the hook and by the proxies', async () => {
  const result = await sweepProgram(outbox(), { sources: ['node', 'wire'], variants: ['plain'] });
  assert.equal(result.verdict, 'holds', result.reasons.join('\n'));
  const [node, wire] = result.parts.map(
    ({ cells }) => new Map(cells.map((cell) => [cell.key, cell.outcomes[0]?.outcome])),
  );
  assert.ok(node && wire && node.size >= 14);
  const kills = [...wire].filter(([key]) => key.endsWith(':kill'));
  assert.deepEqual(kills, [...node]);
  assert.ok([...wire.keys()].some((key) => key.endsWith(':lose-reply')));
  assert.deepEqual(leftBehind(), []);
});

test("in a given server only databases of ours are used, and other people's tables stay", async (t) => {
  const scratch = makeScratch();
  const server = await PgServer.embedded(projectRoot(), scratch);
  t.after(async () => {
    await server.stop();
    remove(scratch);
  });
  const url = server.url('postgres');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE theirs (id int); INSERT INTO theirs VALUES (42)');
  await client.query('CREATE DATABASE drill_theirs');
  await client.query(`CREATE DATABASE drill_${machine}_999999999_1_1`);
  process.env.GIVEN_URL = url;
  t.after(() => delete process.env.GIVEN_URL);
  const { file } = smallLab(t, {
    yaml: [
      ['setup:', 'services: { pg: { postgres: $GIVEN_URL } }\nenv: { URL: $pg.url }\nsetup:'],
      ['  main:', '  pg: { postgres: pg }\n  main:'],
      [
        'panels:\n',
        "panels:\n  receipts: { store: pg, key: name, sql: \"SELECT current_database() LIKE 'drill_%' AS ours, tablename AS name FROM pg_tables WHERE schemaname = 'public'\" }\n",
      ],
    ],
  });
  const result = await sweepProgram(loadProgram(file));
  assert.equal(result.verdict, 'holds', JSON.stringify(result.reasons));
  assert.doesNotMatch(JSON.stringify(result), /theirs/);
  assert.deepEqual((await client.query('SELECT id FROM theirs')).rows, [{ id: 42 }]);
  const { rows } = await client.query("SELECT datname FROM pg_database WHERE datname LIKE 'drill%'");
  assert.deepEqual(rows, [{ datname: 'drill_theirs' }]);
  await client.end();
});

test('a server that is not there, and a user that may not create databases, are one sentence', async (t) => {
  process.env.GIVEN_URL = 'postgres://nobody@127.0.0.1:1/x';
  t.after(() => delete process.env.GIVEN_URL);
  const { file } = smallLab(t, { yaml: [['setup:', 'services: { pg: { postgres: $GIVEN_URL } }\nsetup:']] });
  await assert.rejects(
    sweepProgram(loadProgram(file)),
    /The PostgreSQL server of services\.pg does not answer: /,
  );
  delete process.env.GIVEN_URL;
  await assert.rejects(
    sweepProgram(loadProgram(file)),
    /services\.pg: \$GIVEN_URL is not set in this environment\./,
  );
  assert.deepEqual(leftBehind(), []);
});
