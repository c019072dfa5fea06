import { runToEnd, startScenario } from '../drill.ts';
import { expect, test } from '../fixtures.ts';
import { look } from '../look.ts';

test.use({ fresh: true });

for (const pair of ['One procedure, four places to die', 'The same drill twice']) {
  test(`comparison: ${pair}`, async ({ page }, info) => {
    test.setTimeout(120_000);
    await page.goto('/');
    await page.getByText('Pairs that teach').click();
    await page.getByRole('button', { name: `Compare: ${pair}` }).click();
    await page.waitForURL(/\/compare\?a=/, { timeout: 45_000 });
    await look(page, info, pair);
  });
}

test('the catalogue with its pairs open, a comparison of nothing yet, and the import', async ({
  page,
}, info) => {
  test.setTimeout(120_000);
  await page.goto('/');
  await page.getByText('Pairs that teach').click();
  await look(page, info, 'pairs');
  for (const path of ['/compare', '/import']) {
    await page.goto(path);
    await look(page, info, path);
  }
});

test('facilitator notes of every lab', async ({ page }, info) => {
  test.setTimeout(120_000);
  for (const lab of ['receipt', 'outbox', 'write-recovery', 'session']) {
    await page.goto(`/labs/${lab}/notes`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Facilitator’s notes');
    await look(page, info, `notes of ${lab}`);
  }
});

test('the dialog to branch, a branch, and the form to save a scenario', async ({ page }, info) => {
  test.setTimeout(120_000);
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
