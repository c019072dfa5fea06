import { runToEnd, startScenario } from '../drill.ts';
import { expect, test } from '../fixtures.ts';
import { look } from './look.ts';

test('comparison, empty, of two and of four; import; notes', async ({ page }, info) => {
  await page.goto('/compare');
  await look(page, info, 'compare, nothing chosen');
  for (const pair of ['One procedure, four places to die', 'The same drill twice']) {
    await page.goto('/');
    await page.getByText('Pairs that teach').click();
    if (pair.startsWith('One')) await look(page, info, 'pairs');
    await page.getByRole('button', { name: `Compare: ${pair}` }).click();
    await page.waitForURL(/\/compare\?a=/, { timeout: 45_000 });
    await look(page, info, pair);
  }
  await page.goto('/import');
  await look(page, info, 'import');
  for (const lab of ['receipt', 'outbox', 'write-recovery', 'session']) {
    await page.goto(`/labs/${lab}/notes`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Facilitator’s notes');
    await look(page, info, `notes of ${lab}`);
  }
});

test('the dialog to branch, a branch, and the form to save a scenario', async ({ page }, info) => {
  await startScenario(page, 'receipt/effect-absent');
  await runToEnd(page);
  const run = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'What if I had retried anyway?' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.getByText('Switch rules off in the branch').click();
  await look(page, info, 'branch dialog');
  await page.getByRole('button', { name: 'Branch', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Branch after', { timeout: 45_000 });
  await look(page, info, 'branch');
  await page.goto(run);
  await look(page, info, 'origin with a branch');
  await page.goto(`${run}/save`);
  await expect(page.getByRole('status')).toContainText('A sound scenario.');
  await look(page, info, 'save');
});
