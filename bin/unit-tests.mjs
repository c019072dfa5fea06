/** Finds the unit and crash tests, runs them, and counts what each file reported. */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const FOLDERS = ['app', 'bench', 'bin', 'db', 'e2e', 'lib'];

/**
 * The test files of a project: `*.test.ts`, and with `full` also those that are named `*.full.test.ts`.
 *
 * @param {string} root
 * @param {boolean} full
 * @returns {string[]} paths relative to the root
 */
export function unitTestFiles(root, full) {
  const patterns = ['*.test.ts', ...FOLDERS.map((folder) => `${folder}/**/*.test.ts`)];
  const files = globSync(patterns, { cwd: root }).sort();
  return full ? files : files.filter((file) => !file.endsWith('.full.test.ts'));
}

/**
 * Runs test files, each in a process of its own, as many at a time as there are cores. They are given to the runner as
 * files: `node --test` takes its arguments as patterns, and `app/runs/[runId]` as a pattern matches nothing, silently.
 *
 * @param {string} root where the files are
 * @param {string[]} files relative to the root
 * @param {NodeJS.WritableStream} [output] where the report is written
 * @returns {Promise<{ passed: number, failed: number, silent: string[] }>} a file that reported no test is in
 *   `silent` and counts as one failure
 */
export async function runUnitTests(root, files, output = process.stdout) {
  const scratch = mkdtempSync(join(tmpdir(), 'drill-unit-'));
  // The tests name the data directories that they mean.
  process.env.DRILL_DATA_DIR = join(scratch, 'data');
  const events = run({
    cwd: root,
    files: files.map((file) => join(root, file)),
    concurrency: Math.max(2, availableParallelism()),
  });
  const counted = new Map();
  const ended = new Map();
  let total = { passed: 0, failed: 0 };
  events.on('test:summary', ({ counts, file }) => {
    if (file) counted.set(file, counts.tests);
    else total = { passed: counts.passed, failed: counts.failed + counts.cancelled };
  });
  // A file without a test of its own is reported as one test that is named after the file.
  events.on('test:pass', ({ name }) => ended.set(name, 'passed'));
  events.on('test:fail', ({ name }) => ended.set(name, 'failed'));
  const report = events.compose(new spec());
  report.pipe(output, { end: false });
  await new Promise((resolve, reject) => report.once('end', resolve).once('error', reject));
  rmSync(scratch, { recursive: true, force: true });
  const silent = files.filter((file) => !counted.get(join(root, file)));
  const count = (end) => silent.filter((file) => ended.get(join(root, file)) === end).length;
  const passed = total.passed - count('passed');
  return { passed, failed: total.failed + silent.length - count('failed'), silent };
}
