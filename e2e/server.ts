/** The dashboard as a process of its own, on a free port, for journeys and for tests of pages. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export interface Server {
  url: string;
  dataDir: string;
  /** Nobody reads what it prints any more. */
  loseReader(): void;
  /** Ends the server by a signal, in the middle of its work, and starts it again at the same address. */
  dieAndReturn(by: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

function startServer(dataDir: string, port: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['server.ts', '--port', port], {
    cwd: root,
    env: { ...process.env, DRILL_DATA_DIR: dataDir, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let printed = '';
    const listen = (chunk: Buffer) => {
      printed += chunk;
      const url = /Recovery drills on (http:\S+)/.exec(printed)?.[1];
      if (url) resolve({ url, child });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}:\n${printed}`)));
  });
}

async function endServer(child: ChildProcess, by: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(by);
  await ended;
}

/**
 * The dashboard on a free port, for as long as the work lasts. Its data directory is removed afterwards.
 *
 * @param work returns `keep` where what lies on disk shall stay, as it does where the work throws
 * @param dataDir an empty one of its own if left out
 */
export async function withServer(
  work: (server: Server) => Promise<'keep' | undefined>,
  dataDir = mkdtempSync(join(tmpdir(), 'drill-e2e-')),
): Promise<void> {
  const { url, child: first } = await startServer(dataDir, '0');
  let child = first;
  const dieAndReturn = async (by: NodeJS.Signals) => {
    await endServer(child, by);
    ({ child } = await startServer(dataDir, new URL(url).port));
  };
  const loseReader = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  let done: 'keep' | undefined = 'keep';
  try {
    done = await work({ url, dataDir, loseReader, dieAndReturn });
  } finally {
    await endServer(child, 'SIGTERM');
    if (done === 'keep') console.log(`kept: ${dataDir}`);
    else rmSync(dataDir, { recursive: true, force: true });
  }
}
