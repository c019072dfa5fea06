import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { judgeSteps } from '#lib/drill/checks.ts';
import type { StepRecord, StepSpec } from '#lib/drill/model.ts';
import { retryFresh } from '#lib/drill/retry.ts';
import { getScenario } from '#lib/drill/scenario.ts';
import { getLab } from '#lib/labs/registry.ts';
import { runCase } from '#lib/testing/case.ts';
import { buildMap } from './build.ts';
import type { CommitMapLayout } from './model.ts';
import type { MapWords } from './words.ts';

const WORDS: MapWords = {
  row: (role) => role,
  pid: (pid) => `pid ${pid}`,
  bar: (step, verb, _pid, end) => `${step} ${verb} ${end}`,
  commit: (step, label) => `${step} ${label}`,
  never: (label) => `${label}: never`,
  neverSpoken: (label) => `never ${label}`,
  died: (at, signal) => `died ${at ?? signal}`,
  callerSaw: (code) => `saw ${code}`,
  childDied: (role) => `${role} died`,
  held: (at) => `held ${at}`,
  open: 'open',
  closed: 'known from here',
  claimed: (who, effect) => `${who ?? 'recovery'} says ${effect}`,
  claimedSpoken: (from, to, effect) => `claimed ${from} ${to} ${effect}`,
  openSpoken: (step) => `open ${step}`,
  closedSpoken: (from, to) => `closed ${from} ${to}`,
};

const mapOf = (lab: string, records: readonly StepRecord[]): CommitMapLayout =>
  buildMap(getLab(lab), records, WORDS, 'en', 0);

async function mapOfCase(t: TestContext, id: string): Promise<CommitMapLayout> {
  const { lab, records } = await runCase(t, id);
  return mapOf(lab.id, records);
}

test('an outcome is known from the commit of the step that established it', async (t) => {
  const map = await mapOfCase(t, 'receipt/lost-ack');
  const [bar] = map.unknown;
  assert.deepEqual([bar?.label, bar?.spoken], ['known from here', 'closed 3 4']);
  assert.equal(bar?.to, map.dots.find((dot) => dot.spoken === '4 what recovery concluded')?.x);
});

test('what a deceived recovery says is not known: neither from its own step, nor from the commit that deceived it', async (t) => {
  const map = await mapOfCase(t, 'receipt/forgotten-ledger');
  const [bar] = map.unknown;
  assert.deepEqual([bar?.label, bar?.spoken], ['recovery says absent', 'claimed 3 5 absent']);
  const recovered = map.bands.find((band) => band.label === '5 recovered');
  assert.ok(
    recovered && bar?.to && bar.to > recovered.x,
    'not at the dot of step 4, which forgot the record',
  );
});

test('where nobody can check what was said, it is not called known', async (t) => {
  const { records } = await runCase(t, 'receipt/lost-ack');
  const lab = getLab('receipt');
  const blind = lab.invariants.map((one) => ({
    ...one,
    check: () => ({ result: 'unknown' as const, detail: 'nobody can check it' }),
  }));
  const judged = judgeSteps({ ...lab, invariants: blind }, records);
  assert.equal(mapOf('receipt', judged).unknown[0]?.label, 'recovery says confirmed');
});

test('a client killed while its server stays held is drawn dead in the step that kills it', async (t) => {
  const map = await mapOfCase(t, 'session/client-killed-in-flight');
  const killed = map.bands.find((band) => band.label.endsWith(' killed'));
  const [death, ...more] = map.deaths;
  assert.ok(killed && death);
  assert.deepEqual(more, []);
  assert.equal(death.title, 'died SIGKILL');
  assert.ok(death.x >= killed.x && death.x <= killed.x + killed.width, `${death.x}`);
  const [client, ...later] = map.bars.filter((bar) => bar.row === death.row && bar.to > killed.x);
  assert.equal(client?.end, 'crashed');
  assert.ok(later.every((bar) => bar.from > death.x && !bar.label.startsWith('release')));
  const server = map.bars.find((bar) => bar.label === 'server');
  assert.ok(server && server.to > killed.x + killed.width, 'the server outlives it');
});

test("another operation's outcome settles nothing: a retry under a fresh key leaves the first one open", async (t) => {
  const scenario = getScenario('receipt/lost-ack');
  const died = await runCase(t, { ...scenario, steps: scenario.steps.slice(0, 3), checks: [] });
  const fresh = retryFresh(getLab('receipt'), died.records, died.records);
  const steps = [
    ...scenario.steps.slice(0, 3),
    ...fresh.map((step, at) => ({ ...step, label: `fresh-${at}` })),
  ];
  const { records } = await runCase(t, { ...scenario, steps, checks: [] });
  const [bar] = mapOf('receipt', records).unknown;
  assert.deepEqual([bar?.to, bar?.label], [null, 'open']);
});

test('an outcome closes with the step after which nothing is left to do, also where its reply names no effect', async (t) => {
  const scenario = getScenario('session/server-killed-after-commit');
  const [init, { expect: _, fault: __, predict: ___, ...talk }] = scenario.steps as [StepSpec, StepSpec];
  const dies = { ...talk, fault: { at: 'before-connection-commit' } };
  const steps = [init, dies, { ...talk, label: 'again' }];
  const { records } = await runCase(t, { ...scenario, steps, checks: [] });
  assert.equal(records.at(-1)?.executors[0]?.reply?.effect, undefined);
  const [bar] = mapOf('session', records).unknown;
  assert.deepEqual([bar?.spoken, bar?.label], ['closed 2 3', 'known from here']);
});
