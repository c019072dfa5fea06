/** The crash matrix and the safeguard table, as a person uses them. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { look } from '../look.ts';

test.use({ fresh: true });

const LONG = { timeout: 180_000 };

/** How many cells stand in the places of the tables. */
async function cellsShown(page: Page): Promise<number> {
  const names = await page.getByRole('cell').getByRole('link').allInnerTexts();
  return names.reduce((sum, name) => sum + Number(/(\d+) cells$/.exec(name)?.[1] ?? 1), 0);
}

test('with two faults every cell is reached, with the keyboard and without JavaScript', async ({
  page,
  browser,
}, info) => {
  await page.goto('/matrix/receipt');
  await page.getByRole('combobox', { name: 'Faults in a cell' }).selectOption('2');
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await page.waitForURL(/sweep=/);
  const headers = page.getByRole('region', { name: 'Run one approved change', exact: true });
  await expect(headers.getByRole('rowheader').first()).toHaveText('run · before-intent', LONG);
  await expect(page.getByRole('status')).toHaveText('Done', LONG);
  const bar = page.getByRole('progressbar', { name: 'Two faults' });
  expect(await cellsShown(page)).toBe(Number(await bar.getAttribute('value')));

  const link = page
    .getByRole('cell')
    .getByRole('link', { name: /3 cells/ })
    .last();
  await link.focus();
  await page.keyboard.press('Enter');
  const detail = page.getByRole('region', { name: /^3 cells: / });
  await expect(detail.getByRole('heading', { level: 3 })).toBeFocused();
  await expect(detail.getByRole('heading', { level: 3 })).toBeInViewport();
  await expect(detail.getByText('All come to the same verdict')).toBeVisible();
  for (const way of ['exit 86', 'SIGKILL', 'SIGABRT']) {
    const one = detail.getByRole('article', { name: way });
    await expect(one).toContainText(`the executor dies by ${way} at`);
    await expect(one).toContainText('holds');
    await expect(one).toContainText(/Decision: .*effect/);
    await expect(one.getByRole('link', { name: 'Download as a scenario' })).toBeVisible();
  }
  await look(page, info, 'matrix, a place with three cells');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(link).toBeFocused();

  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(page.url());
  await still
    .getByRole('cell')
    .getByRole('link', { name: /3 cells/ })
    .last()
    .click();
  await expect(still.getByRole('heading', { name: /^3 cells: / })).toBeInViewport();
  await plain.close();

  await link.click();
  await detail
    .getByRole('article', { name: 'SIGABRT' })
    .getByRole('button', { name: 'Open as a run' })
    .click();
  await page.waitForURL(/\/runs\/\w+/, LONG);
  await expect(page.getByRole('status')).toContainText('Verdict: holds');
});

test('a weakened matrix says so, shows what is violated, and can be cancelled', async ({ page }, info) => {
  await page.goto('/matrix/receipt');
  await page.getByText('Switch rules off, to see what they prevent').click();
  await page.getByRole('checkbox', { name: /^receipt-in-the-same-commit/ }).check();
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await expect(page.getByText('The lab is weakened. Switched off:')).toBeVisible();
  await expect(page.getByRole('status')).toHaveText('Done', LONG);
  const rows = page.getByRole('row').filter({ hasText: 'before-receipt-commit' });
  await expect(rows.first().getByRole('link').first()).toHaveAccessibleName(/violated/);
  await look(page, info, 'matrix, violated');

  // Far more cells than are swept before the click.
  await page.getByRole('combobox', { name: 'Faults in a cell' }).selectOption('3');
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('status')).toHaveText('Cancelled; what was recorded stays.', LONG);
});

test('the safeguard table begins, fills and can be cancelled', async ({ page }, info) => {
  await page.goto('/safeguards/receipt');
  await look(page, info, 'safeguards, nothing run');
  await page.getByRole('button', { name: 'Run the table' }).click();
  await expect(page.getByRole('progressbar', { name: 'One rule missing' })).toBeVisible(LONG);
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /^intent-first/ }) });
  await expect(row).toContainText('receipt-unique-with-digest', LONG);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('status')).toHaveText('Cancelled; what was recorded stays.', LONG);
  await look(page, info, 'safeguards, some cells');
});
