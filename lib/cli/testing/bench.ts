/** The command line in a directory of its own, for its tests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { projectRoot } from '../../core/project-root.ts';
import { tempDir } from '../../testing/temp-dir.ts';

export const bin = join(projectRoot(), 'bin', 'drill.mjs');

export function bench(t: TestContext) {
  const dir = tempDir(t);
  const data = join(dir, 'data');
  const drill = (...words: string[]) => {
    const env = { ...process.env, DRILL_DATA_DIR: data };
    const end = spawnSync(process.execPath, [bin, ...words], {
      encoding: 'utf8',
      env,
      cwd: dir,
      timeout: 120_000,
    });
    return { code: end.status, out: end.stdout, err: end.stderr };
  };
  const file = (name: string, content: string) => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  return { dir, data, drill, file, lab: join(dir, 'lab') };
}

export function prepared(t: TestContext) {
  const all = bench(t);
  assert.equal(all.drill('lab', 'receipt', 'init', '--dir', all.lab).code, 0);
  const plan = all.drill('lab', 'receipt', 'plan', '--dir', all.lab);
  assert.equal(plan.code, 0);
  return { ...all, proposal: JSON.parse(plan.out) as Record<string, unknown> };
}

/** One sentence on standard error: no stack, no blank, ending in a full stop or naming the usage. */
export function assertSentence(err: string): void {
  assert.ok(err.trim().length > 10, `no sentence: ${JSON.stringify(err)}`);
  assert.doesNotMatch(err, /\n\s+at |node:internal/, err);
}
