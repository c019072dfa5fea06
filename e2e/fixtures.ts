/** A server of its own for each worker, and a page on which an unexpected error in the console fails the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';

interface Server {
  url: string;
  dataDir: string;
  /** A test of this worker failed: what it left on disk stays there. */
  failed: boolean;
}

const root = join(import.meta.dirname, '..');

/** Starts the dashboard on a free port and an empty data directory. */
function startServer(dataDir: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['server.ts', '--port', '0'], {
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

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** A further server with nothing in its data directory: another machine. */
export async function withServer(work: (url: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'drill-e2e-'));
  const { url, child } = await startServer(dataDir);
  try {
    await work(url);
  } finally {
    await stopServer(child);
  }
  rmSync(dataDir, { recursive: true, force: true });
}

/** A server that is ended by a signal in the middle of its work, and started again on the same data directory. */
export async function withMortalServer(
  work: (url: string, dieAndReturn: (by: 'SIGKILL' | 'SIGTERM') => Promise<string>) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'drill-e2e-'));
  let server = await startServer(dataDir);
  try {
    await work(server.url, async (by) => {
      const ended = new Promise((resolve) => server.child.once('exit', resolve));
      server.child.kill(by);
      await ended;
      server = await startServer(dataDir);
      return server.url;
    });
  } finally {
    await stopServer(server.child);
  }
  rmSync(dataDir, { recursive: true, force: true });
}

interface Fixtures {
  /** Console errors that this test means to cause. */
  expectedErrors: RegExp[];
  quiet: undefined;
}

export const test = base.extend<Fixtures, { server: Server }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from this pattern
    async ({}, use) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'drill-e2e-'));
      const { url, child } = await startServer(dataDir);
      const server: Server = { url, dataDir, failed: false };
      await use(server);
      await stopServer(child);
      if (server.failed) console.log(`kept: ${dataDir}`);
      else rmSync(dataDir, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  expectedErrors: [[], { option: true }],
  quiet: [
    async ({ context, server, expectedErrors }, use, info) => {
      const errors: string[] = [];
      const watch = (page: Page) => {
        page.on('console', (message) => {
          if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
        });
        page.on('pageerror', (error) => errors.push(String(error)));
      };
      context.on('page', watch);
      await use(undefined);
      if (info.status !== info.expectedStatus) server.failed = true;
      const unexpected = errors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)));
      expect(unexpected, 'errors in the console').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
