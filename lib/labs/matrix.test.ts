/**
 * Every lab keeps its invariants wherever its processes die by an exit; the receipt lab, which has few places, with a
 * second fault in every recovery too. The other ways to die, and two faults in every lab, are in
 * `lib/drill/sweep/labs.full.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSweep } from '../drill/sweep/sweep.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { labs } from './registry.ts';

for (const lab of labs) {
  const depth = lab.id === 'receipt' ? 2 : 1;
  test(`${lab.id}: every boundary that its procedures reach, ${depth === 1 ? 'one fault' : 'two faults'}`, async (t) => {
    const report = await runSweep(lab, { dir: tempDir(t), depth, ways: ['exit'] });
    assert.equal(report.stopped, null);
    assert.deepEqual(report.reasons, []);
    const cells = report.layers.flatMap((layer) => layer.cells);
    assert.ok(cells.length >= lab.boundaries.filter(({ onlyWithout }) => !onlyWithout).length / 2);
    assert.deepEqual(
      cells.filter(({ verdict }) => verdict !== 'holds').map(({ key, reasons }) => ({ key, reasons })),
      [],
    );
  });
}
