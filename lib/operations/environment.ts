/** What this machine is, and whether drills can be trusted on it: the environment page and `doctor`. */
import { accessSync, constants, existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { schemaVersion } from '#db/migrate.ts';
import { dataDirectory, store } from '#db/open.ts';
import { compiled } from '../executor/programs.ts';
import { labs } from '../labs/registry.ts';

export interface Fact {
  id: string;
  title: string;
  value: string;
  status: 'ok' | 'warn' | 'fail';
  /** What it means, and what to do where it is not ok. */
  detail: string;
}

export interface Environment {
  /** The worst of all facts. */
  status: Fact['status'];
  facts: Fact[];
  /** What each lab does not prove. */
  provesNot: { lab: string; title: string; invariants: string[] }[];
}

type Found = Omit<Fact, 'id' | 'title'>;

const numbers = (version: string): number[] => version.replace(/^v/, '').split('.').map(Number);

function atLeast(version: string, least: string): boolean {
  const [a, b] = [numbers(version), numbers(least)];
  for (let index = 0; index < b.length; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * Whether a SQLite can lose commits by the WAL-reset defect (SQLite's WAL page, "walresetbug"): fixed from 3.51.3
 * on, with backports in 3.44.6 and 3.50.7; 3.52.0 was withdrawn.
 */
export function hasWalResetDefect(version: string): boolean {
  if (version === '3.52.0') return true;
  if (atLeast(version, '3.51.3')) return false;
  const [major, minor, patch] = numbers(version) as [number, number, number];
  const backport = { 44: 6, 50: 7 }[minor];
  return !(major === 3 && backport !== undefined && patch >= backport);
}

function node(): Found {
  const ok = atLeast(process.version, '22.18.0');
  return {
    value: process.version,
    status: ok ? 'ok' : 'fail',
    detail: ok ? `Runs from ${process.execPath}.` : 'Node 22.18 or newer is needed.',
  };
}

function sqlite(): Found {
  const { version } = store().prepare('SELECT sqlite_version() AS version').get() as { version: string };
  const bad = hasWalResetDefect(version);
  return {
    value: version,
    status: bad ? 'fail' : 'ok',
    detail: bad
      ? 'This SQLite can lose commits when a WAL is reset (walresetbug). Update better-sqlite3.'
      : 'The WAL-reset defect (walresetbug) is fixed in this version.',
  };
}

function pragmas(): Found {
  const read = (name: string): string => String(store().pragma(name, { simple: true }));
  const found = {
    journal_mode: read('journal_mode'),
    synchronous: read('synchronous'),
    foreign_keys: read('foreign_keys'),
    busy_timeout: read('busy_timeout'),
  };
  // WAL, FULL (2) and foreign keys on are what every connection of this project sets.
  const ok = found.journal_mode === 'wal' && found.synchronous === '2' && found.foreign_keys === '1';
  return {
    value: Object.entries(found)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    status: ok ? 'ok' : 'fail',
    detail: ok
      ? 'A commit is on disk before it is answered (synchronous 2 is FULL).'
      : 'Expected WAL, synchronous=FULL (2) and foreign keys on.',
  };
}

function dataDir(): Found {
  const dir = dataDirectory();
  try {
    accessSync(dir, constants.R_OK | constants.W_OK);
    return { value: dir, status: 'ok', detail: `Writable; store at schema ${schemaVersion(store())}.` };
  } catch {
    return {
      value: dir,
      status: 'fail',
      detail: 'It cannot be written. Set DRILL_DATA_DIR to another directory.',
    };
  }
}

/** Less than this, and a drill may find the disk full half-way; in bytes. */
const LITTLE_SPACE = 64 * 1024 * 1024;

function freeSpace(): Found {
  const { bavail, bsize } = statfsSync(dataDirectory());
  const free = bavail * bsize;
  const value = `${Math.floor(free / 1024 / 1024)} MB`;
  if (free >= LITTLE_SPACE) return { value, status: 'ok', detail: 'Left for runs and sweeps.' };
  return {
    value,
    status: free === 0 ? 'fail' : 'warn',
    detail: 'A step may fail for want of space. Delete runs, or set DRILL_DATA_DIR to another disk.',
  };
}

const NETWORK =
  /^(nfs\d*|cifs|smb\d*|smbfs|ceph|glusterfs|lustre|afs|9p|fuse\.(sshfs|glusterfs|s3fs|rclone|ceph.*|smb.*))$/;

/**
 * The kind of file system that a path lies on.
 *
 * @param mountinfo text of /proc/self/mountinfo (proc_pid_mountinfo(5): mount point is field 5, the type follows " - ")
 */
export function fileSystemKind(path: string, mountinfo: string): string | null {
  let best: { point: string; kind: string } | null = null;
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ');
    const escaped = before?.split(' ')[4];
    const kind = after?.split(' ')[0];
    if (!escaped || !kind) continue;
    const point = escaped.replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const under = path === point || path.startsWith(point === '/' ? '/' : `${point}/`);
    // A later line of the same point lies over an earlier one.
    if (under && (!best || point.length >= best.point.length)) best = { point, kind };
  }
  return best?.kind ?? null;
}

function fileSystem(): Found {
  if (!existsSync('/proc/self/mountinfo')) {
    return {
      value: 'not told',
      status: 'warn',
      detail: 'This system does not tell. It has to be a local disk.',
    };
  }
  const kind = fileSystemKind(realpathSync(dataDirectory()), readFileSync('/proc/self/mountinfo', 'utf8'));
  if (kind && NETWORK.test(kind)) {
    return {
      value: kind,
      status: 'warn',
      detail:
        'A network file system: SQLite in WAL mode is not safe there. Set DRILL_DATA_DIR to a local disk.',
    };
  }
  const memory = kind === 'tmpfs' || kind === 'ramfs';
  return {
    value: kind ?? 'unknown',
    status: kind ? 'ok' : 'warn',
    detail: memory ? 'In memory: runs are gone after a restart of the machine.' : 'A local file system.',
  };
}

function onPath(names: readonly string[]): string | null {
  const dirs = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    const dir = dirs.find((candidate) => existsSync(join(candidate, name)));
    if (dir) return join(dir, name);
  }
  return null;
}

function setpriv(): Found {
  const file = ['/usr/bin/setpriv', '/bin/setpriv'].find((candidate) => existsSync(candidate));
  if (file) return { value: file, status: 'ok', detail: 'Executors get a parent-death signal.' };
  return {
    value: 'not there',
    status: 'warn',
    detail:
      'An executor that outlives a killed server is ended when the server starts again, not at once (util-linux has it).',
  };
}

async function executors(): Promise<Found> {
  if (await compiled()) {
    return {
      value: 'one file each',
      status: 'ok',
      detail: 'Made of the sources as they are, for a short start-up.',
    };
  }
  return {
    value: 'from their sources',
    status: 'warn',
    detail:
      'Each start-up takes longer; nothing else differs. A development server means it so; otherwise node_modules/.cache cannot be written.',
  };
}

function browser(): Found {
  const file = process.env.DRILL_CHROMIUM || onPath(['chromium', 'chromium-browser', 'google-chrome']);
  if (file) return { value: file, status: 'ok', detail: 'Used by the browser tests alone.' };
  return {
    value: 'not there',
    status: 'warn',
    detail: 'Needed for the browser tests alone: apt-get install chromium.',
  };
}

const FACTS: { id: string; title: string; find: () => Found | Promise<Found> }[] = [
  { id: 'node', title: 'Node', find: node },
  { id: 'sqlite', title: 'SQLite', find: sqlite },
  { id: 'pragmas', title: 'Pragmas in force', find: pragmas },
  { id: 'data-directory', title: 'Data directory', find: dataDir },
  { id: 'free-space', title: 'Free space', find: freeSpace },
  { id: 'file-system', title: 'File system', find: fileSystem },
  { id: 'setpriv', title: 'setpriv', find: setpriv },
  {
    id: 'cores',
    title: 'Cores',
    find: () => ({
      value: String(availableParallelism()),
      status: 'ok',
      detail: 'So many executors work at once; held ones do not count, the rest wait in line.',
    }),
  },
  { id: 'executors', title: 'Executors', find: executors },
  { id: 'browser', title: 'Chromium', find: browser },
];

const RANK = { ok: 0, warn: 1, fail: 2 } as const;

/** Looks at the machine and the store. A fact that cannot be found out is a `fail` with the reason, never an error. */
export async function environment(): Promise<Environment> {
  const facts = await Promise.all(
    FACTS.map(async ({ id, title, find }): Promise<Fact> => {
      try {
        return { id, title, ...(await find()) };
      } catch (error) {
        const detail = (error as Error).message;
        return { id, title, value: 'could not be found out', status: 'fail', detail };
      }
    }),
  );
  const worst = facts.reduce<Fact['status']>(
    (all, one) => (RANK[one.status] > RANK[all] ? one.status : all),
    'ok',
  );
  return {
    status: worst,
    facts,
    provesNot: labs.map((lab) => ({ lab: lab.id, title: lab.title, invariants: lab.provesNot })),
  };
}
