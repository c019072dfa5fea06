// The one test command: types, lint, the build, unit and crash tests, the journeys in a real browser. Every part runs
// even where an earlier one failed; the last line sums them up. `--full` adds what takes too long for every change.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { requireNode } from './node-version.mjs';

requireNode();
// Loaded only now: an old Node lacks what these import.
const { build } = await import('./build.mjs');
const { runUnitTests, unitTestFiles } = await import('./unit-tests.mjs');
const { runJourneys } = await import('./journeys.mjs');

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.env.PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`;
process.env.NEXT_TELEMETRY_DISABLED = '1';

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, full: { type: 'boolean', default: false } },
});

const single = (good) => (good ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

/** Runs a program of a package; its output goes to the terminal. */
function program(...args) {
  const file = join(root, 'node_modules', ...args[0].split('/'));
  const end = spawnSync(process.execPath, [file, ...args.slice(1)], { cwd: root, stdio: 'inherit' });
  return single(end.status === 0);
}

const PARTS = {
  types: () => program('typescript/bin/tsc', '--noEmit'),
  lint: () => program('@biomejs/biome/bin/biome', 'check'),
  build: () => single(build()),
  unit: () => runUnitTests(root, unitTestFiles(root, values.full)),
  e2e: () => runJourneys(root, values.full),
};
const names = values.only ?? Object.keys(PARTS);
const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}"; there are: ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(64);
}

const lines = [];
const total = { passed: 0, failed: 0 };
for (const name of names) {
  process.stdout.write(`\n== ${name}\n`);
  const begun = performance.now();
  const { passed, failed, silent = [] } = await PARTS[name]();
  const seconds = Math.round((performance.now() - begun) / 1000);
  lines.push(`${name.padEnd(6)} ${passed} passed, ${failed} failed, ${seconds} s`);
  for (const file of silent) lines.push(`       ${file} reported no test`);
  total.passed += passed;
  total.failed += failed;
}
process.stdout.write(`\n${lines.join('\n')}\n${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 ? 0 : 1);
