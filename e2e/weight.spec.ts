import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { runToEnd, startScenario } from './drill.ts';
import { expect, test } from './fixtures.ts';

const build = join(import.meta.dirname, '..', '.next');

/** What every page of this Next version loads, an empty one too. */
function emptyPage(): number {
  const { rootMainFiles } = JSON.parse(readFileSync(join(build, 'build-manifest.json'), 'utf8')) as {
    rootMainFiles: string[];
  };
  return rootMainFiles.reduce((sum, file) => sum + gzipSync(readFileSync(join(build, file))).length, 0);
}

async function scripts(page: Page, url: string): Promise<number> {
  const sizes = new Map<string, Promise<number>>();
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    sizes.set(
      response.url(),
      response.body().then((body) => gzipSync(body).length),
    );
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  return (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
}

test('the catalogue ships at most 25 kB of JavaScript more than an empty page, the drill page at most 70', async ({
  page,
  context,
}) => {
  await startScenario(page, 'receipt/lost-ack');
  await runToEnd(page);
  const drill = await scripts(await context.newPage(), page.url());
  const catalogue = await scripts(await context.newPage(), '/');
  expect(catalogue - emptyPage()).toBeLessThanOrEqual(25_000);
  expect(drill - emptyPage()).toBeLessThanOrEqual(70_000);
});

test('what never leaves this machine is not compressed', async ({ request }) => {
  const response = await request.get('/', { headers: { 'accept-encoding': 'gzip' } });
  expect(response.headers()['content-encoding']).toBeUndefined();
});
