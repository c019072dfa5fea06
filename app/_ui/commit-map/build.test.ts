/** The map of real runs: what died is drawn where it died. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario } from '#lib/drill/run.ts';
import { getScenario } from '#lib/drill/scenario.ts';
import { getLab } from '#lib/labs/registry.ts';
import { tempDir } from '#lib/testing/temp-dir.ts';
import { buildMap } from './build.ts';
import type { MapWords } from './words.ts';

const WORDS: MapWords = {
  row: (role) => role,
  pid: (pid) => `pid ${pid}`,
  bar: (step, verb, _pid, end) => `${step} ${verb} ${end}`,
  commit: (_step, label) => label,
  never: (label) => label,
  neverSpoken: (label) => label,
  died: (at, signal) => `${at} ${signal}`,
  callerSaw: (code, signal) => `${code} ${signal}`,
  childDied: (role) => role,
  held: (at) => at,
  open: 'open',
  closed: 'closed',
  openSpoken: String,
  closedSpoken: (from, to) => `${from} ${to}`,
};

test('a client killed while its server stays held is drawn dead in the step that kills it', async (t) => {
  const lab = getLab('session');
  const { records } = await runScenario(lab, getScenario('session/client-killed-in-flight'), {
    dir: tempDir(t),
  });
  const map = buildMap(lab, records, WORDS, 'en');
  const killed = map.bands.find((band) => band.label.endsWith(' killed'));
  const [death, ...more] = map.deaths;
  assert.ok(killed && death);
  assert.deepEqual(more, []);
  assert.equal(death.title, 'null SIGKILL');
  assert.ok(death.x >= killed.x && death.x <= killed.x + killed.width, `${death.x}`);
  const [client, ...later] = map.bars.filter((bar) => bar.row === death.row && bar.to > killed.x);
  assert.equal(client?.end, 'crashed');
  assert.ok(later.every((bar) => bar.from > death.x && !bar.label.startsWith('release')));
  const server = map.bars.find((bar) => bar.label === 'server');
  assert.ok(server && server.to > killed.x + killed.width, 'the server outlives it');
});
