/**
 * Every lab keeps its statements wherever its processes die: the crash matrix with everything on. One fault in every
 * way to die; two faults by exit, since the first layer has shown in all places what the other ways leave.
 * `drill matrix <lab> --depth 2` takes all three ways throughout.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
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
  });
}
