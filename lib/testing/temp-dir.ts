import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory for one test: removed when it passes, kept and named when it fails. */
export function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'drill-test-'));
  t.after(() => {
    // Present since Node 21.7; the published types lag behind.
    if ((t as unknown as { passed: boolean }).passed) rmSync(dir, { recursive: true, force: true });
    else t.diagnostic(`kept: ${dir}`);
  });
  return dir;
}

/** The seed of a random run: `DRILL_SEED`, else a fresh one; printed, so that a failure can be repeated. */
export function seedOf(t: TestContext): number {
  const seed = Number(process.env.DRILL_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`seed ${seed} (repeat with DRILL_SEED=${seed})`);
  return seed;
}
