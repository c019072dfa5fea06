/** DESIGN.md, "A run survives the dashboard": the real server is killed at work and started again. */
import type { Page } from '@playwright/test';
import { nextStep, panel, step } from './drill.ts';
import { expect, test, withMortalServer } from './fixtures.ts';

// The page may notice that its server is gone before it is left.
test.use({ expectedErrors: [/ERR_|Failed to (fetch|load)|network error/i] });

test('a server killed during a step: after its return the step is interrupted, nothing runs twice, nothing lives on', async ({
  page,
}) => {
  await withMortalServer(async (first, dieAndReturn) => {
    await page.goto(`${first}/scenarios/receipt/lock-held`);
    await page.getByRole('button', { name: 'Start the drill' }).click();
    await page.waitForURL(/\/runs\/\w+/);
    const path = new URL(page.url()).pathname;
    await page.goto(`${first}${path}?predict=off`);
    await nextStep(page, 'init').click();
    await nextStep(page, 'plan').click();
    await nextStep(page, 'run').click();
    await expect(page.getByText(/Step holding still holds an executor/)).toBeVisible();
    const held = Number(
      /process (\d+) at/.exec((await page.getByText(/still holds/).textContent()) ?? '')?.[1],
    );
    // The second executor waits for the write lock that the first one holds: the step is at work until the bound.
    await nextStep(page, 'run').click();
    await expect(page.getByText('Step 4 is at work.')).toBeVisible();
    // At once: the second executor waits for the lock no longer than its bound.
    const returned = dieAndReturn('SIGKILL');
    await page.goto('about:blank');
    await page.goto(`${await returned}${path}?predict=off`);
    await expect(page.getByText(/Step second was interrupted/)).toBeVisible();
    await expect(page.getByText(/A held executor was lost/)).toBeVisible();
    await expect(step(page, '5 released')).toContainText('to come');
    await expect(page.getByRole('button', { name: /^Next step/ })).toHaveCount(0);
    await expect(panel(page, 'After', 'Operation status')).toContainText('pending');
    await expect(panel(page, 'After', 'Receipts')).toContainText('0');
    expect(() => process.kill(held, 0), 'the held executor is gone').toThrow(/ESRCH/);

    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(nextStep(page, 'init')).toBeVisible();
    await page.goto('about:blank');
  });
});

/** Begins a sweep and waits until some of its cells are recorded. Returns where it is shown, and how many. */
async function sweepAtWork(page: Page, server: string): Promise<{ path: string; recorded: number }> {
  await page.goto(`${server}/matrix/receipt`);
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
  test(`a server ended by ${signal} during a sweep goes on from the recorded cells`, async ({ page }) => {
    await withMortalServer(async (first, dieAndReturn) => {
      const { path, recorded } = await sweepAtWork(page, first);
      const url = await dieAndReturn(signal);
      await page.goto(url + path);
      expect(Number(await oneFault(page).getAttribute('value'))).toBeGreaterThanOrEqual(recorded);
      await expect(page.getByRole('status')).toHaveText('Done', { timeout: 120_000 });
      await expect(oneFault(page)).toHaveAttribute('value', '42');
      await expect(page.getByRole('main')).toContainText('holds');
      await page.goto('about:blank');
    });
  });
}

test('a sweep that was continued by another server is cancelled like any other', async ({ page }) => {
  await withMortalServer(async (first, dieAndReturn) => {
    const { path } = await sweepAtWork(page, first);
    const url = await dieAndReturn('SIGKILL');
    await page.goto(url + path);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('status')).toContainText('Cancelled');
    await page.goto('about:blank');
  });
});
