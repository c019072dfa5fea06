import { runToEnd, startScenario } from '../drill.ts';
import { expect, test } from '../fixtures.ts';
import { look } from '../look.ts';

test.use({ fresh: true });

test('catalogue, runs and environment, whether or not anything has run', async ({ page }, info) => {
  for (const path of ['/', '/runs?scenario=receipt%2Fafter-complete', '/environment']) {
    await page.goto(path);
    await look(page, info, `${path} before`);
  }
  await startScenario(page, 'receipt/after-complete');
  await runToEnd(page);
  for (const path of ['/', '/?tried=yes', '/?boundary=none-such', '/runs']) {
    await page.goto(path);
    await look(page, info, `${path} after`);
  }
});

test('a scenario page, a drill without a step, with a crash, and at its end', async ({ page }, info) => {
  await page.goto('/scenarios/receipt/lost-ack');
  await look(page, info, 'scenario');
  await startScenario(page, 'receipt/lost-ack', 'asked');
  await look(page, info, 'no step');
  for (const verb of ['init', 'plan', 'run']) {
    await page.getByRole('button', { name: new RegExp(`^Next step: ${verb}`) }).click();
  }
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await look(page, info, 'crashed, with a question');
  await page.goto(`${page.url()}?view=projector`);
  await look(page, info, 'projector, with a question');
  await page.goto(`${new URL(page.url()).pathname}?predict=off`);
  await runToEnd(page);
  await look(page, info, 'at its end');
  for (const title of [/^What really happened/, /^Step 5 as recorded/, /^Free play/]) {
    await page.getByText(title).click();
  }
  await look(page, info, 'everything open');
  await page.goto(`${page.url()}&view=projector`);
  await look(page, info, 'projector');
});

test('a counterexample of the outbox, and a race of eight', async ({ page }, info) => {
  for (const id of ['outbox/naive-lost-ack', 'receipt/eight-at-once']) {
    await startScenario(page, id);
    await runToEnd(page);
    await look(page, info, id);
  }
});

test('the dialog that asks before it deletes', async ({ page }, info) => {
  await startScenario(page, 'receipt/not-approved');
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await look(page, info, 'dialog');
});

test.describe('an address that names nothing', () => {
  test.use({ expectedErrors: [/404/] });

  test('says so in plain words', async ({ page }, info) => {
    for (const path of ['/nothing', '/runs/rnone', '/runs/..%2f..%2fetc', '/scenarios/receipt/none-such']) {
      const response = await page.goto(path);
      expect(response?.status(), path).toBe(404);
      await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible();
    }
    await look(page, info, 'not found');
  });
});
