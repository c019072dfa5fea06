import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseScenario, readScenario } from '../drill/scenario.ts';
import { SCENARIO_LIMIT } from '../drill/scenario-yaml.ts';
import { dataDirFor } from '../testing/data-dir.ts';
import { addStep } from './add-step.ts';
import { findScenario, isOwn, keepScenario, ownScenarios, removeScenario } from './own-scenarios.ts';
import { checkScenario, proposeFromRun } from './propose-scenario.ts';
import { runToEnd } from './run-to-end.ts';
import { startRun } from './start-run.ts';

async function freePlay(): Promise<string> {
  const { run } = await startRun({ lab: 'receipt' });
  await addStep({ run, seq: 1, step: { command: 'init' } });
  await addStep({ run, seq: 2, step: { command: 'plan', saves: 'p' } });
  const fault = { at: 'after-target', action: 'kill' as const };
  await addStep({ run, seq: 3, step: { command: 'run', args: { proposal: '$p', approve: true }, fault } });
  await addStep({ run, seq: 4, step: { command: 'forget', args: { operation: 'synthetic-finding-001' } } });
  return run;
}

test('free play becomes a scenario that holds: what was seen is what is expected, violations declared', async (t) => {
  dataDirFor(t);
  const { id, yaml } = proposeFromRun(await freePlay());
  const parsed = parseScenario(yaml);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  assert.equal(parsed.scenario.id, id);
  assert.deepEqual(parsed.scenario.steps[2]?.expect, { signal: 'SIGKILL' });
  assert.ok((parsed.scenario.violates ?? []).length > 0);
  assert.equal(keepScenario(yaml), id);
  const { run } = await startRun({ scenario: id });
  const { view } = await runToEnd({ run, seq: 1 });
  assert.equal(view.verdict, 'holds', view.reasons.join('; '));
});

test('a kept scenario is listed, found, never mistaken for a built-in one, and can be removed', async (t) => {
  const dir = dataDirFor(t);
  const { id, yaml } = proposeFromRun(await freePlay());
  keepScenario(yaml);
  assert.deepEqual(
    ownScenarios().scenarios.map((one) => one.id),
    [id],
  );
  assert.equal(findScenario(id).id, id);
  assert.equal(isOwn(id), true);
  assert.equal(isOwn('receipt/lost-ack'), false);
  assert.throws(() => keepScenario(yaml), /already; it was left as it is/);
  keepScenario(yaml, true);
  assert.throws(() => keepScenario(yaml.replace(id, 'receipt/lost-ack')), /is a scenario of this program/);
  assert.deepEqual(readdirSync(join(dir, 'scenarios', 'receipt')), [`${id.split('/')[1]}.yaml`]);
  removeScenario(id);
  assert.throws(() => findScenario(id), /There is no scenario/);
});

test('no id leads out of the folder', (t) => {
  const dir = dataDirFor(t);
  writeFileSync(join(dir, 'outside.yaml'), 'id: x');
  for (const id of ['../outside', 'receipt/../../outside', '/etc/passwd', 'receipt/a/b', 'receipt\\x']) {
    assert.equal(isOwn(id), false, id);
    assert.throws(() => removeScenario(id), /You have no scenario/);
  }
  assert.ok(existsSync(join(dir, 'outside.yaml')));
});

test('a file that holds no scenario is named with its line, and hides no other', async (t) => {
  const dir = dataDirFor(t);
  keepScenario(proposeFromRun(await freePlay()).yaml);
  mkdirSync(join(dir, 'scenarios', 'outbox'), { recursive: true });
  writeFileSync(join(dir, 'scenarios', 'outbox', 'broken.yaml'), 'id: outbox/broken\nlab: outbox\nstep: 1\n');
  const { scenarios, broken } = ownScenarios();
  assert.equal(scenarios.length, 1);
  assert.equal(broken[0]?.file, 'outbox/broken.yaml');
  assert.ok((broken[0]?.fault.line ?? 0) > 0);
});

test('whatever lies among the scenarios is named or passed over; nothing is waited for, nothing else is hidden', async (t) => {
  const dir = join(dataDirFor(t), 'scenarios');
  const kept = keepScenario(proposeFromRun(await freePlay()).yaml);
  mkdirSync(join(dir, 'receipt', 'a-folder.yaml'));
  symlinkSync('nowhere', join(dir, 'receipt', 'a-link.yaml'));
  symlinkSync('somebody@somewhere.1', join(dir, 'receipt', '.#my-good.yaml'));
  execFileSync('mkfifo', [join(dir, 'receipt', 'a-pipe.yaml')]);
  symlinkSync('a-pipe.yaml', join(dir, 'receipt', 'to-the-pipe.yaml'));
  writeFileSync(join(dir, 'receipt', 'Not An Id.yaml'), 'id: x');
  writeFileSync(join(dir, 'session'), 'a file');
  const { scenarios, broken } = ownScenarios();
  assert.deepEqual(
    scenarios.map(({ id }) => id),
    [kept],
  );
  assert.deepEqual(
    broken.map(({ file, fault }) => `${file}:${fault.line} ${fault.message}`),
    [
      'receipt/Not An Id.yaml:1 the name of a file is an id: small letters, digits and hyphens',
      'receipt/a-folder.yaml:1 receipt/a-folder.yaml is a folder, not a file',
      'receipt/a-link.yaml:1 There is no file receipt/a-link.yaml',
      'receipt/a-pipe.yaml:1 receipt/a-pipe.yaml is a pipe or a device, not a file',
      'receipt/to-the-pipe.yaml:1 receipt/to-the-pipe.yaml is a pipe or a device, not a file',
      'session:1 this is a file, where a folder belongs',
    ],
  );
  for (const name of ['a-folder', 'a-pipe', 'to-the-pipe'])
    assert.throws(() => findScenario(`receipt/${name}`), /not a file/);
  assert.throws(() => removeScenario('receipt/a-folder'), /could not be removed/);
});

test('a file with the id of a built-in scenario, and one that lies where nothing is read, are named', async (t) => {
  const dir = join(dataDirFor(t), 'scenarios');
  const { id, yaml } = proposeFromRun(await freePlay());
  mkdirSync(join(dir, 'receipt'), { recursive: true });
  const taken = join(dir, 'receipt', 'lost-ack.yaml');
  writeFileSync(taken, yaml.replace(id, 'receipt/lost-ack'));
  writeFileSync(join(dir, 'receipt', 'short.yml'), yaml);
  writeFileSync(join(dir, 'stray.yaml'), yaml);
  const { scenarios, broken } = ownScenarios();
  assert.deepEqual(scenarios, []);
  const told = Object.fromEntries(broken.map(({ file, fault }) => [file, fault.message]));
  assert.deepEqual(Object.keys(told), ['receipt/lost-ack.yaml', 'receipt/short.yml', 'stray.yaml']);
  assert.match(
    told['receipt/lost-ack.yaml'] ?? '',
    /^the id is taken by a built-in scenario; .*or remove \//,
  );
  assert.ok(told['receipt/lost-ack.yaml']?.endsWith(taken));
  assert.match(told['receipt/short.yml'] ?? '', /ends in \.yaml/);
  assert.match(
    told['stray.yaml'] ?? '',
    /^nothing is read from here; scenarios lie in scenarios\/receipt\/, /,
  );
});

test('a file in the place of the folder of scenarios is named once', (t) => {
  writeFileSync(join(dataDirFor(t), 'scenarios'), '');
  assert.deepEqual(
    ownScenarios().broken.map(({ file }) => file),
    ['scenarios'],
  );
});

test('faults are told with line and column as the text stands', async (t) => {
  dataDirFor(t);
  const { yaml } = proposeFromRun(await freePlay());
  assert.deepEqual(checkScenario(yaml), []);
  const [fault] = checkScenario(yaml.replace('command: forget', 'command: forgot'));
  const line = yaml.split('\n').findIndex((text) => text.includes('command: forget'));
  assert.match(fault?.message ?? '', /there is no command "forgot"/);
  assert.ok(Math.abs((fault?.line ?? 0) - line) <= 1 && (fault?.column ?? 0) > 0);
  assert.equal(checkScenario('steps: [')[0]?.line, 1);
});

test('a text beyond the limit is refused with one sentence, whichever way it comes in', (t) => {
  const dir = dataDirFor(t);
  const text = `id: receipt/long\n#${'x'.repeat(SCENARIO_LIMIT.bytes)}\n`;
  const file = join(dir, 'scenarios', 'receipt', 'long.yaml');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const sentence = /larger than a scenario can be \(64 KB\)/;
  assert.match(checkScenario(text)[0]?.message ?? '', sentence);
  assert.throws(() => keepScenario(text), sentence);
  assert.throws(() => readScenario(file), sentence);
  assert.throws(() => findScenario('receipt/long'), sentence);
  assert.match(ownScenarios().broken[0]?.fault.message ?? '', sentence);
});
