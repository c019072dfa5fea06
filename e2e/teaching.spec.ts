/** For the person in front of a room: the projector view, questions, and what a teacher has set. */
import type { Page } from '@playwright/test';
import { nextStep, panel, runPath, runToEnd, startScenario, step } from './drill.ts';
import { expect, test } from './fixtures.ts';

const SMALLEST_TYPE = 16;

async function smallestType(page: Page): Promise<number> {
  return page.locator('svg text').evaluateAll((texts) =>
    Math.min(
      ...texts.map((text) => {
        const scale = (text as SVGTextElement).getScreenCTM()?.a ?? 0;
        return Number.parseFloat(getComputedStyle(text).fontSize) * scale;
      }),
    ),
  );
}

test('the projector shows question, map and both panels on one screen, in type for the last row', async ({
  page,
}) => {
  await startScenario(page, 'receipt/lost-ack');
  await runToEnd(page);
  const run = runPath(page);
  for (const size of [
    { width: 1280, height: 720 },
    { width: 1920, height: 1080 },
  ]) {
    await page.setViewportSize(size);
    for (const label of ['crashed', 'recovered', 'again']) {
      await page.goto(`${run}?view=projector&after=${label}`);
      await expect(page.getByText('The ledger says pending. May it retry?')).toBeInViewport({ ratio: 1 });
      for (const side of ['Before', 'After'] as const) {
        for (const name of ['Operation status', 'Target version', 'Receipts', 'Event history'] as const) {
          await expect(panel(page, side, name), `${label}: ${side}, ${name}`).toBeInViewport({ ratio: 1 });
        }
      }
      expect(await smallestType(page), label).toBeGreaterThanOrEqual(SMALLEST_TYPE);
    }
  }
  await expect(page.getByRole('banner')).toHaveCount(0);
  for (const name of ['Reset', 'Delete']) await expect(page.getByRole('button', { name })).toHaveCount(0);
});

test('where the screen has room, the map stays beside a question', async ({ page }) => {
  await startScenario(page, 'receipt/lost-ack', 'asked');
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await page.goto(`${runPath(page)}?view=projector`);
  const map = page.getByRole('region', { name: 'Commit map' });
  for (const [height, seen] of [
    [720, false],
    [900, true],
  ] as const) {
    await page.setViewportSize({ width: 1280, height });
    await expect(map).toBeVisible({ visible: seen });
    await expect(panel(page, 'After', 'Event history')).toBeInViewport({ ratio: 1 });
  }
});

test('a question takes the place of the map before a room, and its answer moves no panel out of sight', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await startScenario(page, 'receipt/lost-ack', 'asked');
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await page.goto(`${runPath(page)}?view=projector`);
  const last = () => panel(page, 'After', 'Event history');
  await expect(last()).toBeInViewport({ ratio: 1 });
  await page.getByRole('radio', { name: /reconcile/ }).check();
  await page.getByRole('button', { name: 'Lock my answer and run the step' }).click();
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
  await page.goto(`${runPath(page)}?view=projector&predict=off`);
  await expect(page.getByRole('region', { name: 'Prediction and fact' })).toBeInViewport({ ratio: 1 });
  await expect(last()).toBeInViewport({ ratio: 1 });
});

test('what a teacher has set stays: at the start, after Reset, and in a branch', async ({ page }) => {
  await page.goto('/scenarios/receipt/lost-ack?predict=off&view=nonsense');
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+\?predict=off$/);
  await runToEnd(page);
  const first = runPath(page);
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.waitForURL((url) => url.pathname !== first && url.search === '?predict=off');
  await page.goto(`${first}?predict=off`);
  await page.getByRole('button', { name: 'What if I had retried anyway?' }).click();
  await page.getByRole('button', { name: 'Branch', exact: true }).click();
  await page.waitForURL((url) => url.pathname !== first && url.search === '?predict=off');
});

test('Run to end stops at each question; a skipped one is kept with the run', async ({ page }) => {
  await startScenario(page, 'receipt/lost-ack', 'asked');
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Run to end' })).toHaveCount(0);
  await expect(step(page, '4 recovered')).toContainText('to come');
  await page.getByRole('radio', { name: /reconcile/ }).check();
  await page.getByRole('button', { name: 'Lock my answer and run the step' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Your number' })).toBeVisible();
  await page.getByRole('button', { name: 'Skip questions for now' }).click();
  await expect(nextStep(page, 'run')).toBeVisible();
  await runToEnd(page);
  await page.goto('/runs');
  const row = page.getByRole('row').filter({ hasText: 'prediction skipped' }).first();
  await expect(row).toContainText('again: prediction skipped');
});
