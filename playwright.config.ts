import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const chromium =
  process.env.DRILL_CHROMIUM ||
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) =>
    existsSync(file),
  );
if (!chromium) {
  throw new Error(
    'The browser tests need Chromium: apt-get install chromium, or name one in DRILL_CHROMIUM.',
  );
}

/** One build, one installed browser, a server for each worker (e2e/fixtures.ts). */
export default defineConfig({
  // `npm test` runs the journeys, `npm run test:full` both.
  projects: [
    { name: 'journeys', testDir: 'e2e', testIgnore: 'full/**' },
    { name: 'full', testDir: 'e2e/full' },
  ],
  // Not `*.test.ts`: those are for Node's own runner.
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/build.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  retries: 0,
  // Bounds for a loaded machine of two cores; nothing waits for them that goes well.
  timeout: 240_000,
  expect: { timeout: 45_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 900 },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromium,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
