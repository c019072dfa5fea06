/** Every lab keeps its statements wherever its processes die: the crash matrix at depth 2, everything on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labs } from '../../labs/registry.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { runSweep } from './sweep.ts';

for (const lab of labs) {
  test(`${lab.id}: every boundary, every way to die, and a second fault in every recovery`, async (t) => {
    const report = await runSweep(lab, { dir: tempDir(t), depth: 2 });
    const cells = report.layers.flatMap((layer) => layer.cells);
    const odd = cells
      .filter((cell) => cell.verdict !== 'holds')
      .map(({ key, reasons }) => ({ key, reasons }));
    assert.equal(report.stopped, null);
    assert.deepEqual(odd, []);
    assert.deepEqual(report.reasons, []);
    assert.deepEqual(report.neverReached, [], 'reached by no procedure at depth 2');
    assert.equal(report.layers.length, 2);
    t.diagnostic(
      `${cells.length} cells, ${report.executors.started} executors started for ${report.executors.needed} needed`,
    );
  });
}
