import { nextStep, panel, runToEnd, startScenario, step } from './drill.ts';
import { expect, test } from './fixtures.ts';

test('a reload and a second tab show what is recorded, and a stale tab starts nothing twice', async ({
  page,
  context,
}) => {
  await startScenario(page, 'receipt/lost-ack');
  await nextStep(page, 'init').click();
  await nextStep(page, 'plan').click();
  await expect(nextStep(page, 'run')).toBeVisible();
  await page.reload();
  await expect(step(page, '2 plan')).toContainText('exit 0');

  const other = await context.newPage();
  await other.goto(page.url());
  await expect(nextStep(other, 'run')).toBeVisible();
  await nextStep(page, 'run').click();
  await expect(step(page, '3 crashed')).toContainText('exit 86');
  const pid = /process \d+/.exec(
    (await page
      .getByRole('img', { name: /Step 3: process/ })
      .first()
      .getAttribute('aria-label')) ?? '',
  )?.[0];

  // The other tab still offers step 3: it gets the recorded one.
  await nextStep(other, 'run').click();
  await expect(step(other, '3 crashed')).toContainText('exit 86');
  await expect(nextStep(other, 'recover')).toBeVisible();
  await expect(other.getByRole('img', { name: new RegExp(`Step 3: ${pid} died`) })).toBeVisible();
  await expect(panel(other, 'After', 'Receipts')).toContainText('1');
});

test('a double click runs one step', async ({ page }) => {
  await startScenario(page, 'receipt/lost-ack');
  await nextStep(page, 'init').dblclick();
  await expect(step(page, '1 init')).toContainText('exit 0');
  await expect(page.getByRole('status')).toContainText('4 steps to go');
  await page.reload();
  await expect(page.getByRole('status')).toContainText('4 steps to go');
});

test('a run is deleted only after it was confirmed, and then it is gone', async ({ page }) => {
  await startScenario(page, 'receipt/tampered-proposal');
  await runToEnd(page);
  const url = page.url();
  await page.goto('/runs?scenario=receipt%2Ftampered-proposal');
  const remove = page.getByRole('button', { name: /^Delete / }).first();
  await remove.click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(page.getByRole('row')).toHaveCount(2);
  await remove.click();
  await page.getByRole('button', { name: 'Delete the run' }).click();
  await expect(page.getByText('No run is like that.')).toBeVisible();
  const response = await page.request.get(url);
  expect(response.status()).toBe(404);
});

test.describe('with nothing run before', () => {
  test.use({ fresh: true });

  test('the catalogue gives a decision away only after a run to the end, and filters by its URL', async ({
    page,
  }) => {
    await page.goto('/?boundary=before-complete-commit');
    const entry = page.getByRole('listitem').filter({ hasText: 'before-complete-commit' });
    await expect(entry.first()).toBeVisible();
    await expect(entry.filter({ hasText: /Reconcile|Counterexample|Investigate|Retry/ })).toHaveCount(0);
    await startScenario(page, 'receipt/forgotten-ledger');
    await page.goto('/');
    const forgotten = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: /queue was stuck/ }) });
    await expect(forgotten).toContainText('Begun');
    await page.goBack();
    await runToEnd(page);
    await page.goto('/');
    await expect(forgotten).toContainText('Counterexample');
    await page.goto('/?tried=yes');
    await expect(forgotten).toHaveCount(1);
    await page.goto('/?tried=no');
    await expect(forgotten).toHaveCount(0);
  });
});

test('reset begins a new run of the same scenario and leaves the old one alone', async ({ page }) => {
  await startScenario(page, 'receipt/lost-ack');
  await nextStep(page, 'init').click();
  await expect(nextStep(page, 'plan')).toBeVisible();
  const old = page.url();
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page.getByRole('status')).toContainText('5 steps to go');
  expect(page.url()).not.toBe(old);
  await page.goto(old);
  await expect(page.getByRole('status')).toContainText('4 steps to go');
});
