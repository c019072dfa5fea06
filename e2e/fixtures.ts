/** A server for each worker, and a page on which an unexpected error in the console fails the test. */
import { test as base, expect, type Page } from '@playwright/test';
import { type Server, withServer } from './server.ts';

interface Fixtures {
  /** True for tests that end the server, or that look at what a page lists: they get a server of their own. */
  fresh: boolean;
  /** The server that `page` reads: one for each worker, or a fresh one. */
  server: Server;
  /** Console errors that this test means to cause. */
  expectedErrors: RegExp[];
  quiet: undefined;
}

export const test = base.extend<Fixtures, { sharedServer: Server }>({
  fresh: [false, { option: true }],
  server: async ({ fresh, sharedServer }, use, info) => {
    if (!fresh) return use(sharedServer);
    await withServer(async (server) => {
      await use(server);
      return info.status === info.expectedStatus ? undefined : 'keep';
    });
  },
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

export { expect, type Server, withServer };
