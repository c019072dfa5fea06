/** Sweeps of every lab, and the published cases of the outbox from the command line. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../lib/core/project-root.ts';
import { runSweep } from '../lib/drill/sweep/sweep.ts';
import { labs } from '../lib/labs/registry.ts';
import { type Row, times } from './measure.ts';

/** Executors of the sixteen published cases. */
const PUBLISHED_EXECUTORS = 77;

export async function outboxCases(count: number, startMs: number): Promise<Row> {
  const values = await times(count, async () => {
    const child = spawn(process.execPath, ['bin/drill.mjs', 'oracle', 'outbox'], {
      cwd: projectRoot(),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number];
    if (code !== 0) throw new Error(`drill oracle outbox ended with ${code}`);
  });
  return {
    measure: 'sixteen outbox cases, command line, per executor (of 77)',
    values: values.map((ms) => ms / PUBLISHED_EXECUTORS),
    floor: { name: 'start', ms: startMs },
    goal: 1.3,
  };
}

/** One sweep each: wall time per executor that its cells need, and per executor that was started. */
export async function matrices(startMs: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const lab of labs) {
    for (const depth of [1, 2]) {
      const dir = mkdtempSync(join(tmpdir(), 'drill-bench-'));
      const begin = performance.now();
      const report = await runSweep(lab, { dir, depth });
      const ms = performance.now() - begin;
      rmSync(dir, { recursive: true, force: true });
      const { needed, started } = report.executors;
      const cells = report.layers.reduce((sum, layer) => sum + layer.size, 0);
      rows.push({
        measure: `matrix ${lab.id}, depth ${depth}, per executor needed`,
        values: [ms / needed],
        floor: { name: 'start', ms: startMs },
        goal: 1.3,
        note: `${report.verdict}: ${cells} cells in ${(ms / 1000).toFixed(1)} s; ${needed} executors needed, ${started} started at ${(ms / started).toFixed(1)} ms (${(ms / started / startMs).toFixed(2)} x start) each`,
      });
    }
  }
  return rows;
}
