/** "A store that is missing is not an empty one": the page says what cannot be read, and counts nothing in it. */
import type { Page } from '@playwright/test';
import { type PanelName, panel, runPath, runToEnd, startScenario } from '../drill.ts';
import { expect, test } from '../fixtures.ts';

test.use({ fresh: true });

const PANELS: PanelName[] = ['Operation status', 'Target version', 'Receipts', 'Event history'];

async function play(page: Page, action: string, number: number): Promise<void> {
  await page.getByRole('combobox', { name: 'Next step' }).selectOption(action);
  await page.getByRole('button', { name: 'Run this step' }).click();
  await expect(page.getByRole('list', { name: 'Steps' }).getByRole('listitem')).toHaveCount(number);
}

/** Nothing of what an empty store would be called. */
async function expectNotKnown(page: Page, file: RegExp): Promise<void> {
  for (const name of PANELS) {
    const after = panel(page, 'After', name);
    await expect(after).toContainText('Not known');
    await expect(after).toContainText(file);
    await expect(after).toContainText('difference not known');
    await expect(after).not.toContainText(/No rows|\bsame\b|removed|−\d/);
    await expect(after.getByText('0', { exact: true })).toHaveCount(0);
    await expect(panel(page, 'Before', name)).not.toContainText('removed later');
  }
}

test('a deleted database: each panel says that it is missing, and nobody says what really happened', async ({
  page,
}) => {
  await startScenario(page, 'receipt/database-deleted');
  await runToEnd(page);
  const missing = /lab\.sqlite is missing/;
  await expectNotKnown(page, missing);
  const run = runPath(page);
  await page.goto(`${run}?before=crashed&after=deleted`);
  await expectNotKnown(page, missing);
  await expect(panel(page, 'Before', 'Receipts')).toContainText('1');
  await expect(page.getByText('9 of 9 cannot be told')).toBeVisible();
  await page.getByText('What really happened', { exact: true }).click();
  await expect(page.getByRole('complementary')).toContainText('Not known: the record lay in lab.sqlite');
  await page.getByRole('link', { name: 'Projector view' }).click();
  await expectNotKnown(page, missing);

  await startScenario(page, 'receipt/lost-ack');
  await runToEnd(page);
  const id = (path: string) => path.split('/').at(-1);
  await page.goto(`/compare?a=${id(runPath(page))}&b=${id(run)}`);
  await expect(
    page.getByText('The target cannot be compared: in run B, lab.sqlite is missing.'),
  ).toBeVisible();
  const receipts = page.getByRole('region', { name: 'Run B', exact: true }).getByRole('region').nth(2);
  await expect(receipts).toContainText('compared with run A: not known');
});

test('of several stores only the missing one is not known', async ({ page }) => {
  await startScenario(page, 'outbox/receiver-deleted');
  await runToEnd(page);
  await expect(panel(page, 'After', 'Operation status')).toContainText('blocked');
  await expect(panel(page, 'After', 'Operation status')).not.toContainText('not known');
  await expect(panel(page, 'After', 'Receipts')).toContainText('receiver.sqlite is missing');
  await expect(panel(page, 'After', 'Event history')).toContainText('Known in part');
  await expect(panel(page, 'After', 'Event history')).toContainText('+2, the rest not known');
});

test('free play judges nothing before its first step, and says why its verdict is unknown', async ({
  page,
}) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Free play in this lab (Receipt)' }).click();
  await expect(page.getByRole('status')).toHaveText('Nothing has been judged yet');
  await expect(page.getByRole('spinbutton', { name: /clock/i })).toHaveCount(0);
  await play(page, 'init', 1);
  await expect(page.getByRole('complementary')).toContainText('Nothing has been submitted yet');
  await expect(page.getByRole('complementary')).not.toContainText('Effect absent');
  await play(page, 'overwrite-database', 2);
  await expectNotKnown(page, /lab\.sqlite cannot be read/);
  const reasons = page.getByRole('region', { name: 'Why this verdict' });
  await expect(reasons.getByRole('listitem').first()).toHaveText(
    '“One effect for one intent” is unknown since overwrite-database: the file is no database',
  );
  await page.goto('/runs?verdict=holds');
  await expect(page.getByText('No run matches the filter.')).toBeVisible();

  await page.goto('/');
  await page.getByRole('button', { name: /^Free play in this lab \(Outbox/ }).click();
  await expect(page.getByRole('spinbutton', { name: /clock/i })).toBeVisible();
});

test('what a deceived recovery says is drawn as its claim', async ({ page }) => {
  await startScenario(page, 'receipt/forgotten-ledger');
  await runToEnd(page);
  await expect(
    page.getByRole('img', { name: /^Outcome unknown since step 3; step 5 says absent, which/ }),
  ).toBeVisible();
  await expect(page.getByText('recovery says absent from here').first()).toBeVisible();
  await expect(page.getByText('known from here', { exact: true })).toHaveCount(0);
});

test('on a narrow screen the crash is in sight, before it happens and after', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 720 });
  await page.goto('/');
  const inSight = async () => {
    const map = page.getByRole('region', { name: /scrolls sideways/ });
    const box = await map.boundingBox();
    const mark = await map
      .getByRole('img', { name: /after-target/ })
      .last()
      .boundingBox();
    expect(box && mark && mark.x >= box.x && mark.x + 20 <= box.x + box.width).toBe(true);
  };
  await expect(inSight).toPass();
  await startScenario(page, 'receipt/lost-ack');
  await runToEnd(page);
  await expect(inSight).toPass();
  await expect(page.getByText(/Simulated: --approve stands for a review/)).toBeVisible();
});
