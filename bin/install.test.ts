/** What `npm ci` prints on the oldest Node that it runs on: nothing but the number of packages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../lib/core/project-root.ts';

interface Entry {
  engines?: { node?: string };
  hasInstallScript?: boolean;
  optional?: boolean;
  deprecated?: string;
}

const json = (file: string) => JSON.parse(readFileSync(join(projectRoot(), file), 'utf8'));
const packages = Object.entries(json('package-lock.json').packages as Record<string, Entry>);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** True where a range of versions, as packages write them, has a Node 20.19 or newer of that line in it. */
function takesNode20(range: string): boolean {
  return range.split('||').some((part) => {
    const [, sign = '', version = '0'] = /^\s*(>=|>|\^|~)?\s*v?([\d.]+)/.exec(part) ?? [];
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major === 20) return minor <= 19;
    return sign.startsWith('>') && major < 20;
  });
}

test('the ranges that packages write are understood', () => {
  for (const range of ['>=20', '>= 18.17.0', '^18.18.0 || ^20.9.0 || >=21.1.0', '20.x || 22.x', '>=20.9.0'])
    assert.ok(takesNode20(range), range);
  for (const range of ['>=22', '^22.12.0', '22.x || 24.x', '>=20.30', '>=22.12.0'])
    assert.ok(!takesNode20(range), range);
});

// better-sqlite3 declares Node 22, on which it runs here; its entry in the lock file has no `engines`, since npm
// compares them with the Node that installs. `npm install` leaves the entry as it is; a new version needs it again.
test('no package that is installed everywhere warns about the Node that installs it', () => {
  const warned = packages.filter(
    ([, entry]) => !entry.optional && entry.engines?.node && !takesNode20(entry.engines.node),
  );
  assert.deepEqual(
    warned.map(([path, { engines }]) => `${nameOf(path)} wants ${engines?.node}`),
    [],
  );
});

test('package.json decides about every install script, and no package is deprecated', () => {
  const allow = json('package.json').allowScripts as Record<string, boolean>;
  const scripts = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path));
  assert.deepEqual(
    scripts.filter((name) => !Object.hasOwn(allow, name)),
    [],
  );
  assert.deepEqual(
    packages.filter(([, { deprecated }]) => deprecated).map(([path]) => nameOf(path)),
    [],
  );
});
