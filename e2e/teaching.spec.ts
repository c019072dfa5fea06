/** For the person in front of a room: the projector view, questions, and what a teacher has set. */
import type { Page } from '@playwright/test';
import { nextStep, panel, runPath, runToEnd, startScenario } from './drill.ts';
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

test('Run to end stops at each question; a skipped one is kept with the run', async ({ page }) => {
  await startScenario(page, 'receipt/lost-ack', 'asked');
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Run to end' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Answer first' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Steps' }).getByRole('listitem').nth(3)).toHaveText(
    '4recoverto come',
  );
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

test('neither the page nor what is sent with it has the label of a step that a question stands before', async ({
  page,
}) => {
  await startScenario(page, 'write-recovery/compensation-of-nothing', 'asked');
  for (const verb of ['init', 'approve', 'run', 'approve']) await nextStep(page, verb).click();
  await expect(page.getByRole('radio', { name: 'It is refused' })).toBeVisible();
  const response = await page.request.get(page.url());
  expect(await response.text()).not.toMatch(/other-run|\btried\b/);
});
