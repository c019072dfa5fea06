/** A server of its own for each test, and a page on which an unexpected error in the console fails the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';

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
    let said = '';
    const listen = (chunk: Buffer) => {
      said += chunk;
      const url = /Recovery drills on (http:\S+)/.exec(said)?.[1];
      if (url) resolve({ url, child });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}:\n${said}`)));
  });
}

async function endServer(child: ChildProcess, by: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(by);
  await ended;
}

/**
 * The dashboard on a free port and an empty data directory, for as long as the work lasts.
 *
 * @param work returns `keep` where what lies on disk shall stay, as it does where the work throws
 */
export async function withServer(work: (server: Server) => Promise<'keep' | undefined>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'drill-e2e-'));
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

interface Fixtures {
  /** The server that `page` reads: one for each test, since what a page lists must not depend on earlier tests. */
  server: Server;
  /** Console errors that this test means to cause. */
  expectedErrors: RegExp[];
  quiet: undefined;
}

export const test = base.extend<Fixtures, { sharedServer: Server }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from this pattern
  server: async ({}, use, info) =>
    withServer(async (server) => {
      await use(server);
      return info.status === info.expectedStatus ? undefined : 'keep';
    }),
  sharedServer: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) =>
      withServer(async (server) => {
        await use(server);
        return undefined;
      }),
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  expectedErrors: [[], { option: true }],
  quiet: [
    async ({ context, expectedErrors }, use) => {
      const errors: string[] = [];
      const watch = (page: Page) => {
        page.on('console', (message) => {
          if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
        });
        page.on('pageerror', (error) => errors.push(String(error)));
      };
      context.on('page', watch);
      await use(undefined);
      const unexpected = errors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)));
      expect(unexpected, 'errors in the console').toEqual([]);
    },
    { auto: true },
  ],
});

/** For tests that look at nothing but their own run: one server for all that a worker does of them. */
export const testOfOneRun = test.extend({
  server: async ({ sharedServer }, use) => use(sharedServer),
});

export { expect };
