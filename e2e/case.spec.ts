/** A case is branched, compared, handed over, replayed and kept. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { panel, runToEnd, startScenario } from './drill.ts';
import { expect, test, withServer } from './fixtures.ts';

async function downloadCase(page: Page): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export' }).click();
  return readFileSync(await (await download).path());
}

async function importCase(page: Page, buffer: Buffer): Promise<void> {
  await page.getByLabel('Case file').setInputFiles({ name: 'case.zip', mimeType: 'application/zip', buffer });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
}

test('a branch that retries anyway is compared with its origin, and what it cost is said', async ({
  page,
}) => {
  await startScenario(page, 'receipt/lost-ack');
  await runToEnd(page);
  const origin = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'What if I had retried anyway?' }).click();
  const dialog = page.getByRole('dialog', { name: 'What if I had retried anyway?' });
  await expect(dialog.getByRole('combobox', { name: 'After step' })).toHaveValue('crashed');
  await expect(dialog.getByRole('radio', { name: /Retry under a fresh key/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Branch', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Branch after crashed: The process died; the ledger says pending',
  );
  await expect(page.getByRole('note')).toContainText('What this decision cost: two changes for one intent.');
  await expect(page.getByRole('note')).toContainText('To the lab the fresh key is another intent');
  await expect(page.getByRole('complementary')).toContainText('and yet: two changes for one intent');
  await expect(panel(page, 'After', 'Target version')).toContainText('3');
  await page.getByRole('link', { name: 'Compare with its origin' }).click();
  await expect(page.getByRole('status')).toContainText(
    'The target is at version 2 and true in run A, at version 3 and true in run B.',
  );
  await expect(page.getByRole('region', { name: 'Run A', exact: true })).toContainText(
    'This decision costs nothing.',
  );
  await expect(page.getByRole('region', { name: 'Run B', exact: true })).toContainText(
    'two changes for one intent',
  );
  await page.goto('/runs');
  const branched = page.getByRole('row').filter({ hasText: 'Branch after crashed' }).first();
  await expect(
    branched.getByRole('link', { name: /^branched after crashed of “The process/ }),
  ).toHaveAttribute('href', origin);
  await expect(branched).toContainText('Cost: two changes for one intent');
  await expect(page.locator('tr', { has: page.locator(`a[href="${origin}"]`) }).first()).not.toContainText(
    'Branch after',
  );
  await page.goto(origin);
  await expect(page.getByRole('region', { name: 'Branches of this run' }).getByRole('listitem')).toHaveCount(
    1,
  );
  await expect(panel(page, 'After', 'Target version')).toContainText('2');
});

test('export, lose the data directory, import, replay: equal', async ({ page }) => {
  test.setTimeout(120_000);
  await startScenario(page, 'receipt/lost-ack');
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

test.describe('files that are no case', () => {
  test.use({ expectedErrors: [/422/] });

  test('each gets one sentence, and nothing stays behind', async ({ page }) => {
    await startScenario(page, 'receipt/not-approved');
    await runToEnd(page);
    const bytes = await downloadCase(page);
    await page.goto('/runs');
    const rows = await page.getByRole('row').count();
    await page.goto('/import');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'file' })).toHaveText('Choose a file first.');
    for (const [file, sentence] of [
      [bytes.subarray(0, bytes.length / 2), /no zip file, or only a part of one/],
      [Buffer.from('hello'), /no zip file/],
      [Buffer.alloc(0), /no zip file/],
    ] as const) {
      await importCase(page, file);
      await expect(page.getByRole('alert').filter({ hasText: 'Nothing was kept' })).toHaveText(sentence);
    }
    await page.goto('/runs');
    await expect(page.getByRole('row')).toHaveCount(rows);
  });
});

test('free play becomes a scenario: faults by line as one types, kept, listed, run, removed', async ({
  page,
}) => {
  await startScenario(page, 'receipt/stale-version');
  await runToEnd(page);
  await page.getByRole('link', { name: 'Save as scenario' }).click();
  const state = page.getByRole('status');
  await expect(state).toContainText('A sound scenario.');
  const text = page.getByRole('textbox', { name: /file \(YAML\)/ });
  const sound = await text.inputValue();
  await text.fill(sound.replace('command: drift', 'command: dirft'));
  await expect(state).toContainText('there is no command "dirft"');
  await expect(state.getByRole('button', { name: /^Line \d+, column \d+:$/ })).toBeVisible();
  await text.fill(sound);
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine: somebody was faster');
  await page.getByRole('textbox', { name: 'Id: the lab, a slash, a name' }).fill('receipt/mine');
  await expect(text).toHaveValue(/title: "?Mine: somebody was faster"?/);
  await expect(state).toContainText('A sound scenario.');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('mine.yaml');
  await page.getByRole('button', { name: 'Keep it here' }).click();
  await page.getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+/);
  await page.goto(`${page.url()}?predict=off`);
  await runToEnd(page);
  await page.goto('/');
  const yours = page.getByRole('region', { name: 'Yours' });
  await expect(yours).toContainText('Mine: somebody was faster');
  await yours.getByRole('button', { name: 'Remove Mine: somebody was faster' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(yours).toHaveCount(0);
});
