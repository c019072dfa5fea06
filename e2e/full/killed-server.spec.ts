/** The real server is ended during a sweep and started again. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';

// The page may notice that its server is gone before it is left.
test.use({ fresh: true, expectedErrors: [/ERR_|Failed to (fetch|load)|network error/i] });

/** Begins a sweep and waits until some of its cells are recorded. Returns where it is shown, and how many. */
async function sweepAtWork(page: Page, depth: '2' | '3'): Promise<{ path: string; recorded: number }> {
  await page.goto('/matrix/receipt');
  await page.getByRole('combobox', { name: 'Faults in a cell' }).selectOption(depth);
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await page.waitForURL(/sweep=/);
  const { pathname, search } = new URL(page.url());
  await expect(oneFault(page)).toHaveAttribute('value', /^[1-9]\d?$/);
  const recorded = Number(await oneFault(page).getAttribute('value'));
  await page.goto('about:blank');
  return { path: pathname + search, recorded };
}

const oneFault = (page: Page) => page.getByRole('progressbar', { name: 'One fault' });

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`a server ended by ${signal} during a sweep goes on from the recorded cells`, async ({
    page,
    server,
  }) => {
    const { path, recorded } = await sweepAtWork(page, '2');
    await server.dieAndReturn(signal);
    await page.goto(path);
    expect(Number(await oneFault(page).getAttribute('value'))).toBeGreaterThanOrEqual(recorded);
    await expect(page.getByRole('status')).toHaveText('Done', { timeout: 120_000 });
    await expect(oneFault(page)).toHaveAttribute('value', '42');
    await expect(page.getByRole('main')).toContainText('holds');
  });
}

test('a sweep that was continued by another server is cancelled like any other', async ({ page, server }) => {
  // Three faults: far more cells than are swept before the click.
  const { path } = await sweepAtWork(page, '3');
  await server.dieAndReturn('SIGKILL');
  await page.goto(path);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('status')).toContainText('Cancelled');
});

test('a server ended by SIGTERM during a sweep goes on from the recorded cells', async ({ page, server }) => {
  const { path, recorded } = await sweepAtWork(page, '2');
  await server.dieAndReturn('SIGTERM');
  await page.goto(path);
  expect(Number(await oneFault(page).getAttribute('value'))).toBeGreaterThanOrEqual(recorded);
  await expect(page.getByRole('status')).toHaveText('Done', { timeout: 120_000 });
  await expect(oneFault(page)).toHaveAttribute('value', '42');
  await expect(page.getByRole('main')).toContainText('holds');
});
