/** The crash matrix and the mechanism table, as a person uses them. */
import { look } from './accessibility/look.ts';
import { expect, test } from './fixtures.ts';

const LONG = { timeout: 180_000 };

test('a matrix is swept, read, filtered, and a cell of it opened as a run', async ({ page }, info) => {
  await page.goto('/matrix');
  await look(page, info, 'matrix, overview');
  await page.getByRole('link', { name: /^Crash matrix.*Receipt$/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Crash matrix');
  await look(page, info, 'matrix, nothing swept');
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible();
  await expect(page.getByRole('status')).toHaveText('Done', LONG);
  await expect(page.getByRole('progressbar', { name: 'One fault' })).toHaveAttribute('value', '42');

  const table = page.getByRole('region', { name: 'Run one approved change', exact: true }).getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveText(['Dies at', 'exit 86', 'SIGKILL', 'SIGABRT']);
  await expect(table.getByRole('rowheader').first()).toHaveText('run · before-intent');
  await expect(table.getByRole('rowheader')).toHaveCount(7);
  const row = table.getByRole('row').filter({ hasText: 'after-target' });
  const cell = row.getByRole('link').nth(1);
  await expect(cell).toHaveAccessibleName(/holds: Reconcile.*1 effect/);
  await look(page, info, 'matrix, swept');
  await cell.click();
  const detail = page.getByRole('region', { name: 'Cell' });
  await expect(detail).toContainText('In step run the executor dies by SIGKILL at after-target');
  await look(page, info, 'matrix, a cell');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    detail.getByRole('link', { name: 'Download as a scenario' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^cell-run-[0-9a-f]{10}\.yaml$/);

  await page.getByRole('link', { name: 'Only what is violated or unknown' }).click();
  await expect(page.getByText('Every cell of this layer holds.').first()).toBeVisible();
  await page.goBack();
  await detail.getByRole('button', { name: 'Open as a run' }).click();
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

  await page.getByRole('combobox', { name: 'Faults in a cell' }).selectOption('2');
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('status')).toHaveText('Cancelled; what was recorded stays.', LONG);
});

test('the mechanism table begins, fills and can be cancelled', async ({ page }, info) => {
  await page.goto('/mechanisms/receipt');
  await look(page, info, 'mechanisms, nothing run');
  await page.getByRole('button', { name: 'Run the table' }).click();
  await expect(page.getByRole('progressbar', { name: 'One rule missing' })).toBeVisible(LONG);
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /^intent-first/ }) });
  await expect(row).toContainText('receipt-unique-with-digest', LONG);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('status')).toHaveText('Cancelled; what was recorded stays.', LONG);
  await look(page, info, 'mechanisms, some cells');
});

test('what if this rule were missing: asked first, then both runs side by side', async ({ page }, info) => {
  await page.goto('/scenarios/receipt/lost-ack');
  await page.getByText('What if this rule were missing?').click();
  await page.getByRole('checkbox', { name: /^receipt-in-the-same-commit/ }).check();
  await page
    .getByRole('group', { name: 'Which statement will break?' })
    .getByRole('radio', { name: 'None of them' })
    .check();
  await look(page, info, 'missing rule, asked');
  await page.getByRole('button', { name: 'Run both' }).click();
  await page.waitForURL(/\/missing\?/, LONG);
  await expect(page.getByText('You said: None of them')).toBeVisible();
  await expect(page.getByRole('status')).toContainText('every-change-accounted');
  await expect(page.getByRole('region', { name: 'With every rule' })).toContainText('holds');
  await expect(page.getByRole('region', { name: 'With the rule missing' })).toContainText('violated');
  await look(page, info, 'missing rule, answered');
});
