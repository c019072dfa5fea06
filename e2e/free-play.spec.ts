import type { Page } from '@playwright/test';
import { panel, step } from './drill.ts';
import { expect, test } from './fixtures.ts';

const run = (page: Page) => page.getByRole('button', { name: 'Run this step' }).click();
const choose = (page: Page, action: string) =>
  page.getByRole('combobox', { name: 'Next step' }).selectOption(action);

test('free play: any command, any boundary, any way to die, and the traps are called what they are', async ({
  page,
}) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Free play in this lab (Receipt)' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Free play: Receipt' })).toBeVisible();

  await choose(page, 'init');
  await run(page);
  await expect(step(page, '1 init')).toContainText('exit 0');
  await choose(page, 'plan');
  await run(page);
  await expect(step(page, '2 plan')).toContainText('exit 0');

  await choose(page, 'run');
  await page.getByRole('textbox', { name: 'proposal' }).fill('{"contract": ');
  await page.getByRole('combobox', { name: 'approve' }).selectOption('true');
  await page.getByRole('combobox', { name: 'Stop it at' }).selectOption('after-target');
  await page.getByRole('combobox', { name: 'How', exact: true }).selectOption('SIGKILL');
  await run(page);
  await expect(page.getByRole('alert').filter({ hasText: 'proposal' })).toContainText('neither JSON');
  // Nothing was started, and nothing of what was typed is lost.
  await expect(page.getByRole('combobox', { name: 'approve' })).toHaveValue('true');
  await page.getByRole('textbox', { name: 'proposal' }).fill('$plan');
  await run(page);
  await expect(step(page, '3 run')).toContainText('SIGKILL');
  await expect(page.getByRole('complementary')).toContainText('Killed by SIGKILL and no reply.');

  await choose(page, 'forget');
  await expect(page.getByText('Traps people fall into. People do this')).toBeVisible();
  await choose(page, 'damage-receipt');
  await expect(page.getByText('Damage. This damages')).toBeVisible();
  await choose(page, 'recover');
  await run(page);
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
  await expect(page.getByRole('status')).toContainText('Verdict:');
});

test('a held executor is named on the page, released by a later step, and ends', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Free play in this lab (Receipt)' }).click();
  await choose(page, 'init');
  await run(page);
  await expect(step(page, '1 init')).toContainText('exit 0');
  await choose(page, 'plan');
  await run(page);
  await expect(step(page, '2 plan')).toContainText('exit 0');
  await choose(page, 'run');
  await page.getByRole('combobox', { name: 'approve' }).selectOption('true');
  await page.getByRole('combobox', { name: 'Stop it at' }).selectOption('after-intent');
  await page.getByRole('combobox', { name: 'How', exact: true }).selectOption('hold it there');
  await run(page);
  await expect(page.getByText(/Step run still holds an executor: process \d+ at after-intent/)).toBeVisible();
  await choose(page, 'release run');
  await run(page);
  await expect(page.getByText('still holds an executor')).toHaveCount(0);
  await expect(panel(page, 'After', 'Operation status')).toContainText('complete');
});

test('free play begins without the rules that were switched off, and says so', async ({ page }) => {
  await page.goto('/');
  await page.getByText('Switch rules off (Receipt)').click();
  await page.getByRole('checkbox', { name: /^version-check/ }).check();
  await page.getByRole('button', { name: 'Free play in this lab (Receipt)' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Free play: Receipt' })).toBeVisible();
  await expect(page.getByText('Without: version-check')).toBeVisible();
});
