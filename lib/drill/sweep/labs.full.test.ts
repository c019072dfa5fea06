/**
 * Every lab keeps its invariants wherever its processes die: the crash matrix with everything on. One fault in every
 * way to die; two faults by exit, since the first layer has shown in all places what the other ways leave.
 * `drill matrix <lab> --depth 2` takes all three ways throughout.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BoundarySpec } from '../../labs/contract.ts';
import { labs } from '../../labs/registry.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import type { SweepReport } from './model.ts';
import { runSweep } from './sweep.ts';

function odd(report: SweepReport) {
  return report.layers
    .flatMap((layer) => layer.cells)
    .filter((cell) => cell.verdict !== 'holds')
    .map(({ key, reasons }) => ({ key, reasons }));
}

function reached({ procedures, layers }: SweepReport, { role, name }: BoundarySpec): boolean {
  const cells = [...procedures.map(({ baseline }) => baseline), ...layers.flatMap((layer) => layer.cells)];
  return cells.flatMap((cell) => cell.reached).some((place) => place.role === role && place.at === name);
}

const said = ({ layers, executors }: SweepReport) =>
  `${layers.map(({ size }) => size).join(' + ')} cells, ${executors.started} executors started for ${executors.needed}`;

for (const lab of labs) {
  test(`${lab.id}: every boundary in every way to die, then every boundary of the recoveries`, async (t) => {
    const dir = tempDir(t);
    const first = await runSweep(lab, { dir: join(dir, 'one') });
    assert.equal(first.stopped, null);
    assert.deepEqual(odd(first), []);
    assert.deepEqual(first.reasons, []);
    t.diagnostic(`one fault: ${said(first)}`);

    const second = await runSweep(lab, { dir: join(dir, 'two'), depth: 2, ways: ['exit'] });
    assert.equal(second.layers.length, 2);
    assert.deepEqual(odd(second), []);
    assert.deepEqual(second.neverReached, [], 'reached by no procedure at depth 2');
    t.diagnostic(`two faults: ${said(second)}`);
    assert.deepEqual(
      lab.boundaries.filter((place) => place.onlyWithout && reached(first, place)),
      [],
      'said to be there only with a safeguard off',
    );
  });
}

for (const lab of labs) {
  for (const without of new Set(lab.boundaries.flatMap(({ onlyWithout }) => onlyWithout ?? []))) {
    test(`${lab.id}: the boundaries that exist only without ${without} are reached without it`, async (t) => {
      const report = await runSweep(lab, { dir: tempDir(t), without: [without], ways: ['exit'] });
      for (const place of lab.boundaries.filter(({ onlyWithout }) => onlyWithout === without)) {
        assert.ok(reached(report, place), `${place.role}/${place.name}`);
      }
    });
  }
}
