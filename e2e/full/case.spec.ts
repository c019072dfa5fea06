/** A case is branched, compared, handed over, replayed and kept. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { nextStep, runPath, runToEnd, startScenario } from '../drill.ts';
import { expect, test, withServer } from '../fixtures.ts';

async function downloadCase(page: Page): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export' }).click();
  return readFileSync(await (await download).path());
}

async function importCase(page: Page, buffer: Buffer): Promise<void> {
  await page.getByLabel('Case file').setInputFiles({ name: 'case.zip', mimeType: 'application/zip', buffer });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
}

test('a branch whose origin was deleted says so, and offers no comparison with it', async ({ page }) => {
  await startScenario(page, 'receipt/effect-absent');
  await runToEnd(page);
  const origin = runPath(page);
  await page.getByRole('button', { name: 'What if I had retried anyway?' }).click();
  await page.getByRole('button', { name: 'Branch', exact: true }).click();
  await page.waitForURL((url) => url.pathname !== origin);
  await expect(page.getByRole('link', { name: 'Compare with its origin' })).toBeVisible();
  const branch = runPath(page);
  await page.goto(origin);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete the run' }).click();
  await page.waitForURL(/\/runs$/);
  await expect(page.getByText(/branched after \w+; its origin was deleted/).first()).toBeVisible();
  await page.goto(branch);
  await expect(page.getByText(/branched after \w+; its origin was deleted/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Compare with its origin' })).toHaveCount(0);
});

test('a comparison says what its address asks for and it cannot show, and offers a third run', async ({
  page,
}) => {
  const ids: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    await startScenario(page, 'receipt/lost-ack');
    await nextStep(page, 'init').click();
    await expect(nextStep(page, 'plan')).toBeVisible();
    ids.push(runPath(page).split('/').at(-1) as string);
  }
  const [a, b] = ids;
  await page.goto(`/compare?a=${a}&b=${b}&c=${a}&d=${b}&e=${a}&step=nowhere`);
  await expect(page.getByText(/One more run is named in the address/)).toBeVisible();
  await expect(page.getByText(/No run here has a step “nowhere”/)).toBeVisible();
  await page.goto(`/compare?a=${a}&b=${b}`);
  await expect(page.getByRole('status')).toContainText('Equal as far as both went: 1 step');
  await expect(page.getByText('This decision costs nothing.')).toHaveCount(0);
  await page.getByText('set up to four side by side').click();
  await page.getByRole('combobox', { name: 'Run C, if you like' }).selectOption(a as string);
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Run C', exact: true })).toBeVisible();
});

test('lost-ack and ownership-unknown, from the catalogue: the same target, and one receipt', async ({
  page,
}) => {
  await page.goto('/');
  await page.getByText('Pairs that teach').click();
  await page
    .getByRole('button', { name: 'Compare: The same target, and one of them can prove whose it is' })
    .click();
  await expect(page.getByRole('status')).toHaveText(
    'Same target, version 2 and true. Run A has a receipt, run B has none.',
    { timeout: 45_000 },
  );
  await page.getByRole('link', { name: /^plan/ }).click();
  await expect(page).toHaveURL(/step=plan/);
  await expect(page.getByRole('status')).toHaveText('The evidence is the same to the byte.');
});

test('two runs of one scenario are equal to the byte', async ({ page }) => {
  await page.goto('/');
  await page.getByText('Pairs that teach').click();
  await page.getByRole('button', { name: 'Compare: The same drill twice' }).click();
  await expect(page.getByRole('status')).toContainText('Equal to the byte: 5 steps', { timeout: 45_000 });
});

for (const id of [
  'receipt/lost-ack',
  'outbox/idempotent-lost-ack',
  'write-recovery/crash-after-effect',
  'session/server-killed-after-commit',
]) {
  test(`export ${id}, lose the data directory, import, replay: equal`, async ({ page }) => {
    test.setTimeout(120_000);
    await startScenario(page, id);
    await runToEnd(page);
    const bytes = await downloadCase(page);
    await withServer(async ({ url }) => {
      await page.goto(`${url}/import`);
      await importCase(page, bytes);
      const imported = page.getByRole('region', { name: 'Imported case' });
      await expect(imported).toContainText('Nothing of it has been run here.');
      await expect(page.getByText(/^Free play: a step/)).toHaveCount(0);
      await imported.getByRole('button', { name: 'Replay it here' }).click();
      await expect(imported).toContainText('the evidence after every step is the same to the byte', {
        timeout: 60_000,
      });
      await imported.getByRole('link', { name: 'Compare the two runs' }).click();
      await page.waitForURL(/\/compare/);
      await expect(page.getByRole('status')).toContainText('Equal to the byte');
      // The server is about to end, and a page that still asks it for something would say so in the console.
      await page.goto('about:blank');
      return undefined;
    });
  });
}

test('a prediction by keyboard: asked, locked, shown beside the fact, and in the list of runs', async ({
  page,
}) => {
  await startScenario(page, 'receipt/effect-absent', 'asked');
  for (const verb of ['init', 'plan', 'run']) {
    await page.getByRole('button', { name: new RegExp(`^Next step: ${verb}`) }).press('Enter');
    await expect(page.getByRole('button', { name: new RegExp(`^Next step: ${verb}`) })).toHaveCount(0);
  }
  const choice = page.getByRole('radio').first();
  await choice.focus();
  await page.keyboard.press('Space');
  await expect(choice).toBeChecked();
  await page.getByRole('button', { name: 'Lock my answer and run the step' }).press('Enter');
  const reveal = page.getByRole('region', { name: 'Prediction and fact' });
  await expect(reveal.getByRole('definition').first()).toBeVisible();
  await page.goto('/runs');
  await expect(page.getByRole('row').filter({ hasText: 'predicted' }).first()).toContainText(
    /predicted “.+ .+”, was “.+ .+”/,
  );
});

for (const id of [
  'outbox/idempotent-lost-ack',
  'write-recovery/crash-after-effect',
  'session/server-killed-after-commit',
]) {
  test(`export ${id}, lose the data directory, import, replay: equal`, async ({ page }) => {
    test.setTimeout(120_000);
    await startScenario(page, id);
    await runToEnd(page);
    const bytes = await downloadCase(page);
    await withServer(async ({ url }) => {
      await page.goto(`${url}/import`);
      await importCase(page, bytes);
      const imported = page.getByRole('region', { name: 'Imported case' });
      await expect(imported).toContainText('Nothing of it has been run here.');
      await expect(page.getByText(/^Free play: a step/)).toHaveCount(0);
      await imported.getByRole('button', { name: 'Replay it here' }).click();
      await expect(imported).toContainText('the evidence after every step is the same to the byte', {
        timeout: 60_000,
      });
      await imported.getByRole('link', { name: 'Compare the two runs' }).click();
      await page.waitForURL(/\/compare/);
      await expect(page.getByRole('status')).toContainText('Equal to the byte');
      // The server is about to end, and a page that still asks it for something would say so in the console.
      await page.goto('about:blank');
      return undefined;
    });
  });
}
