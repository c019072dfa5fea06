import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { projectRoot } from '../../core/project-root.ts';
import type { CodeVersion } from './model.ts';

/** Folders whose code runs a step or judges it, besides the lab's own. */
const SHARED = ['lib/boundary', 'lib/core', 'lib/drill', 'lib/evidence', 'lib/executor', 'lib/sqlite'];

function sources(folder: string): string[] {
  const path = join(projectRoot(), folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((item) => {
    const name = `${folder}/${item.name}`;
    if (item.isDirectory()) return sources(name);
    return /\.(ts|sql)$/.test(item.name) && !/\.(test|property)\.ts$/.test(item.name) ? [name] : [];
  });
}

const known = new Map<string, CodeVersion>();

/**
 * The version of this program: that of package.json, and a digest of what runs and judges a step of the
 * lab, so that a change of one line is another version.
 */
export function codeVersion(lab: string): CodeVersion {
  const found = known.get(lab);
  if (found) return found;
  const hash = createHash('sha256');
  for (const file of [...SHARED, `lib/labs/${lab}`].flatMap(sources).sort()) {
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(projectRoot(), file)))
      .update('\n');
  }
  const manifest = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as {
    version: string;
  };
  const version = { version: manifest.version, digest: hash.digest('hex') };
  known.set(lab, version);
  return version;
}

/** Versions of what the databases were written with. */
export function runtimeVersions(): { node: string; sqlite: string } {
  const db = new Database(':memory:');
  try {
    const row = db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    return { node: process.version, sqlite: row.version };
  } finally {
    db.close();
  }
}
