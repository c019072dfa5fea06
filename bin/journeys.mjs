/** Runs the journeys in a real browser, and counts what each file reported. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function browser() {
  const given = process.env.DRILL_CHROMIUM;
  if (given) return given;
  const dirs = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return NAMES.flatMap((name) => dirs.map((dir) => join(dir, name))).find((file) => existsSync(file));
}

function installBrowser() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => spawnSync('apt-get', args, { stdio: 'inherit', env }).status === 0;
  process.stdout.write('No browser is here; installing Chromium.\n');
  return apt('update', '-qq') && apt('install', '-y', '-qq', '--no-install-recommends', 'chromium');
}

/** Files of a Playwright report that have at least one test. */
function filesWithTests(suites) {
  const holds = ({ specs = [], suites: inner = [] }) => specs.length > 0 || inner.some(holds);
  // Playwright names a file from the folder of its tests or from the project's own.
  return new Set(suites.filter(holds).map(({ file }) => file.replace(/^e2e\//, '')));
}

/**
 * Runs the journeys: `e2e/*.spec.ts`, and with `full` also those in `e2e/full/`.
 *
 * @param {string} root
 * @param {boolean} full
 * @returns {{ passed: number, failed: number, silent: string[] }} a file that reported no test is in `silent` and
 *   counts as one failure, and so does a runner that ended without a report
 */
export function runJourneys(root, full) {
  if (!browser() && !installBrowser()) {
    process.stderr.write('The journeys need Chromium. Install it, or name its file in DRILL_CHROMIUM.\n');
    return { passed: 0, failed: 1, silent: [] };
  }
  const scratch = mkdtempSync(join(tmpdir(), 'drill-journeys-'));
  const report = join(scratch, 'report.json');
  const program = join(root, 'node_modules', '@playwright', 'test', 'cli.js');
  const tier = full ? [] : ['--project=journeys'];
  const { status } = spawnSync(process.execPath, [program, 'test', ...tier, '--reporter=list,json'], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      DRILL_CHROMIUM: browser(),
      DRILL_LOOKS: full ? 'every' : 'one',
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    },
  });
  const written = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null;
  rmSync(scratch, { recursive: true, force: true });
  if (!written) return { passed: 0, failed: 1, silent: [] };
  const reported = filesWithTests(written.suites);
  const discovered = globSync(full ? '**/*.spec.ts' : '*.spec.ts', { cwd: join(root, 'e2e') });
  const silent = discovered.filter((file) => !reported.has(file)).map((file) => `e2e/${file}`);
  // A journey that needed a second try is not one that passes.
  const failed = written.stats.unexpected + written.stats.flaky + silent.length;
  return { passed: written.stats.expected, failed: status !== 0 && failed === 0 ? 1 : failed, silent };
}
