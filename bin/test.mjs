// The one test command: types, lint, unit and crash tests, the build, the journeys in a real browser. Every part
// runs even where an earlier one failed; the last line sums them up.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { requireNode } from './node-version.mjs';

requireNode();
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const reports = mkdtempSync(join(tmpdir(), 'drill-test-'));

/** Runs a program on this Node, its output on the terminal. Returns its exit code. */
function node(args, env = {}) {
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`;
  const end = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: path, NEXT_TELEMETRY_DISABLED: '1', ...env },
  });
  return end.status ?? 1;
}

const inPackage = (...parts) => join(root, 'node_modules', ...parts);
const single = (code) => (code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

function types() {
  return single(node([inPackage('typescript', 'bin', 'tsc'), '--noEmit']));
}

function lint() {
  return single(node([inPackage('@biomejs', 'biome', 'bin', 'biome'), 'check']));
}

/** A file that ends without a report (a crash of the runner) counts as one failure, never as none. */
function withReport(code, file, read) {
  const counts = existsSync(file) ? read(readFileSync(file, 'utf8')) : { passed: 0, failed: 0 };
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function tapCounts(text) {
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') + count('cancelled') };
}

function unit() {
  const folders = ['app', 'bench', 'bin', 'db', 'lib'].map((folder) => `${folder}/**/*.test.ts`);
  const files = globSync([...folders, '*.test.ts'], { cwd: root }).sort();
  const report = join(reports, 'unit.tap');
  const code = node(
    [
      '--test',
      `--test-concurrency=${Math.max(2, availableParallelism())}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=tap',
      `--test-reporter-destination=${report}`,
      ...files,
    ],
    // The tests say themselves which data directory they mean.
    { DRILL_DATA_DIR: join(reports, 'data') },
  );
  return withReport(code, report, tapCounts);
}

function build() {
  return single(node(['-e', "import('./bin/build.mjs').then((m) => process.exit(m.build() ? 0 : 1))"]));
}

function browser() {
  const given = process.env.DRILL_CHROMIUM;
  if (given) return given;
  const dirs = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => dirs.map((dir) => join(dir, name))).find((file) => existsSync(file));
}

function installBrowser() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => spawnSync('apt-get', args, { stdio: 'inherit', env }).status === 0;
  process.stdout.write('No browser is here; installing Chromium.\n');
  return apt('update', '-qq') && apt('install', '-y', '-qq', '--no-install-recommends', 'chromium');
}

function e2e() {
  if (!browser() && !installBrowser()) {
    process.stderr.write('The journeys need Chromium. Install it, or name its file in DRILL_CHROMIUM.\n');
    return { passed: 0, failed: 1 };
  }
  const report = join(reports, 'e2e.json');
  const code = node([inPackage('@playwright', 'test', 'cli.js'), 'test', '--reporter=list,json'], {
    DRILL_CHROMIUM: browser(),
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  });
  return withReport(code, report, (text) => {
    const { stats } = JSON.parse(text);
    // A journey that needed a second try is not one that passes.
    return { passed: stats.expected, failed: stats.unexpected + stats.flaky };
  });
}

const PARTS = { types, lint, unit, build, e2e };
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const names = values.only ?? Object.keys(PARTS);
const stranger = names.find((name) => !Object.hasOwn(PARTS, name));
if (stranger !== undefined) {
  process.stderr.write(`There is no part "${stranger}"; there are: ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(64);
}

const results = names.map((name) => {
  process.stdout.write(`\n== ${name}\n`);
  return { name, ...PARTS[name]() };
});
rmSync(reports, { recursive: true, force: true });
process.stdout.write('\n');
for (const { name, passed, failed } of results) {
  process.stdout.write(`${name.padEnd(6)} ${passed} passed, ${failed} failed\n`);
}
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exit(sum('failed') === 0 ? 0 : 1);
