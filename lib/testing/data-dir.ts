import type { TestContext } from 'node:test';
import { closeStore } from '#db/open.ts';
import { tempDir } from './temp-dir.ts';

/** A data directory of the test's own, which `store()` then means. One test at a time may have one. */
export function dataDirFor(t: TestContext): string {
  const before = process.env.DRILL_DATA_DIR;
  const dir = tempDir(t);
  process.env.DRILL_DATA_DIR = dir;
  t.after(() => {
    closeStore(dir);
    if (before === undefined) delete process.env.DRILL_DATA_DIR;
    else process.env.DRILL_DATA_DIR = before;
  });
  return dir;
}
