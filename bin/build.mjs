import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = [
  'app',
  'lib',
  'db',
  'messages',
  'proxy.ts',
  'instrumentation.ts',
  'next.config.ts',
  'postcss.config.mjs',
  'tsconfig.json',
  'package-lock.json',
];
// Written at the very end of a build; BUILD_ID alone is there when one was cut short.
const FINISHED = ['BUILD_ID', 'prerender-manifest.json', 'required-server-files.json'];

/** Newest change of a source. A folder counts too: its time tells of a file taken away. */
function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return /\.test\.tsx?$|\.md$/.test(path) ? 0 : stat.mtimeMs;
  return readdirSync(path).reduce((last, name) => Math.max(last, newest(join(path, name))), stat.mtimeMs);
}

/** True where the build in `.next` is whole and no source has changed since. */
export function isBuilt() {
  const parts = FINISHED.map((name) => join(root, '.next', name));
  if (!parts.every((part) => existsSync(part))) return false;
  const built = Math.min(...parts.map((part) => statSync(part).mtimeMs));
  return SOURCES.every((source) => newest(join(root, source)) <= built);
}

/** Runs `next build`. Returns whether it succeeded; what it says goes to the terminal. */
export function build() {
  const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next');
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
  return spawnSync(process.execPath, [next, 'build'], { cwd: root, stdio: 'inherit', env }).status === 0;
}
