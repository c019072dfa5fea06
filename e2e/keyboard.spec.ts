import type { Page } from '@playwright/test';
import { nextStep, panel, step } from './drill.ts';
import { expect, test } from './fixtures.ts';

/** Tabs on until the element of that role and name has the focus. */
async function tabTo(page: Page, role: 'button' | 'link' | 'radio', name: string | RegExp): Promise<void> {
  const target = page.getByRole(role, { name }).first();
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Sixty presses of Tab did not reach the ${role} ${name}.`);
}

/** The button says its key once the page listens to it; a key pressed before that is nobody's. */
async function keysWork(page: Page, verb: string): Promise<void> {
  await expect(nextStep(page, verb)).toHaveAttribute('aria-keyshortcuts', 'N');
}

test('the lost acknowledgement, by keyboard alone', async ({ page }) => {
  await page.goto('/');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the page' })).toBeFocused();
  await tabTo(page, 'button', 'Start the drill');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\/\w+/);
  await keysWork(page, 'init');
  for (const done of ['1 init', '2 plan', '3 crashed']) {
    await page.keyboard.press('n');
    await expect(step(page, done)).toContainText('exit');
  }
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await page.keyboard.press('n');
  await expect(page.getByRole('radio').first()).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
  await tabTo(page, 'button', 'Skip questions for now');
  await page.keyboard.press('Enter');
  await keysWork(page, 'run');
  await page.keyboard.press('n');
  await expect(page.getByRole('status')).toHaveText(/Verdict: holds$/);

  await tabTo(page, 'button', 'Delete');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alertdialog', { name: 'Delete this run?' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Delete' })).toBeFocused();
});

test('in the projector view the arrow keys lead through the steps and run what is next', async ({ page }) => {
  await page.goto('/scenarios/receipt/lost-ack');
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+/);
  await page.goto(`${page.url()}?view=projector&predict=off`);
  await keysWork(page, 'init');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: /^Next step: plan/ })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: /^Next step: run/ })).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL(/after=init/);
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/after=plan/);
});
