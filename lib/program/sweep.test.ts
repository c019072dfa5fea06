import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { loadProgram } from './load.ts';
import { mergeSweeps } from './merge.ts';
import type { SweepResult } from './model.ts';
import { openCell, parseCellKey } from './open-cell.ts';
import { sweepProgram } from './sweep.ts';
import { leftBehind, smallLab } from './testing/lab.ts';

const example = (name: string) => loadProgram(join(projectRoot(), 'examples', name, 'drill.yaml'));
const outcomes = (result: SweepResult) =>
  result.parts.flatMap((part) =>
    part.cells.map((cell) => `${part.variant} ${cell.key} ${cell.outcomes[0]?.outcome} ${cell.verdict}`),
  );

test('a Python program is charged twice only where it is naive and dies between charge and record', async () => {
  const result = await sweepProgram(example('order-python'), { sources: ['code'] });
  assert.equal(result.verdict, 'holds');
  assert.deepEqual(
    outcomes(result).filter((line) => !line.includes(' once holds')),
    ['naive submit/after-charge#1:kill duplicated holds'],
  );
  assert.equal(outcomes(result).length, 8);
  assert.deepEqual(leftBehind(), []);
});

test('a Node program is crashed before and after every statement, with no line of it changed', async () => {
  const result = await sweepProgram(example('order-node'), { sources: ['node'] });
  assert.equal(result.verdict, 'holds');
  assert.deepEqual(
    outcomes(result).filter((line) => !line.includes(' once holds')),
    [
      'naive submit/sqlite INSERT charges after#1:kill duplicated holds',
      'naive submit/sqlite UPDATE orders before#1:kill duplicated holds',
    ],
  );
});

test('a violation that no variant declares is violated; a declared one that never comes is violated too', async (t) => {
  const undeclared = smallLab(t, { yaml: [['{ violates: [at-most-one-effect] }', '{}']] });
  const first = await sweepProgram(loadProgram(undeclared.file));
  assert.equal(first.verdict, 'violated');
  const cell = first.parts[0]?.cells.find(({ key }) => key === 'submit/after-charge#1:kill');
  assert.deepEqual(cell?.reasons, ['at-most-one-effect is violated: o-1 has 2 effects']);
  const never = smallLab(t, { yaml: [['violates: [at', 'violates: [success-has-its-effect, at']] });
  const second = await sweepProgram(loadProgram(never.file));
  assert.equal(second.verdict, 'violated');
  assert.deepEqual(second.reasons, [
    'code, plain: success-has-its-effect is declared as violated, and no cell violates it',
  ]);
});

test('two sweeps are equal byte for byte, and so are shards that are merged', async (t) => {
  const lab = loadProgram(smallLab(t).file);
  const whole = await sweepProgram(lab, { depth: 2, lanes: 2 });
  assert.equal(JSON.stringify(await sweepProgram(lab, { depth: 2, lanes: 1 })), JSON.stringify(whole));
  const shards = [];
  for (const index of [1, 2]) shards.push(await sweepProgram(lab, { shard: { index, of: 2 } }));
  const single = await sweepProgram(lab);
  assert.equal(JSON.stringify(mergeSweeps(shards)), JSON.stringify(single));
  const missing = mergeSweeps(shards.slice(0, 1));
  assert.equal(missing.verdict, 'unknown');
  assert.ok(missing.reasons.includes('shard 2/2 is missing'));
  assert.ok(missing.reasons.some((reason) => / is missing$/.test(reason) && reason.includes(':kill')));
  const twice = mergeSweeps([...shards, shards[0] as SweepResult]);
  assert.ok(twice.reasons.some((reason) => reason.endsWith('was done 2 times')));
});

test('a second fault strikes in the recovery', async (t) => {
  const result = await sweepProgram(loadProgram(smallLab(t).file), { depth: 2 });
  const lines = outcomes(result);
  assert.ok(
    lines.includes('plain submit/after-charge#1:kill + recovery-submit/after-charge#1:kill duplicated holds'),
  );
  const cell = result.parts[0]?.cells.find(({ key }) =>
    key.includes('after-charge#1:kill + recovery-submit/after-charge'),
  );
  assert.equal(cell?.outcomes[0]?.effects, 3);
});

test('columns that are ignored are shown and never compared', async (t) => {
  const changing = "db.prepare('UPDATE orders SET at = ?').run(process.pid);";
  const loud = await sweepProgram(loadProgram(smallLab(t, { more: changing }).file));
  assert.equal(loud.verdict, 'unknown');
  assert.match(
    loud.reasons.join(),
    /the runs end with different evidence: operation\.at is one time \d+ and one time \d+; ignore: names what may differ/,
  );
  const yaml: [string, string][] = [['operations:', 'ignore: [operation.at]\noperations:']];
  const quiet = await sweepProgram(loadProgram(smallLab(t, { more: changing, yaml }).file));
  assert.equal(quiet.verdict, 'holds');
});

test('a cell is opened again by its key, with the evidence of each step', async (t) => {
  const lab = loadProgram(smallLab(t).file);
  const faults = parseCellKey('submit/after-charge#1:kill', 'code');
  const { steps, fired } = await openCell(lab, { source: 'code', variant: 'plain', faults });
  assert.deepEqual(fired, faults);
  assert.deepEqual(
    steps.map(({ label, executors, evidence }) => [label, executors[0]?.signal, evidence.truth.length]),
    [
      ['submit', 'SIGKILL', 1],
      ['recovery-submit', null, 2],
    ],
  );
  assert.throws(() => parseCellKey('submit/after-charge:shoot', 'code'), /is no cell/);
});
