import { nextStep, panel, runPath, runToEnd, startScenario } from '../drill.ts';
import { expect, test } from '../fixtures.ts';

test('where the screen has room, the map stays beside a question', async ({ page }) => {
  await startScenario(page, 'receipt/lost-ack', 'asked');
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await page.goto(`${runPath(page)}?view=projector`);
  const map = page.getByRole('region', { name: 'Commit map' });
  for (const [height, seen] of [
    [720, false],
    [900, true],
  ] as const) {
    await page.setViewportSize({ width: 1280, height });
    await expect(map).toBeVisible({ visible: seen });
    await expect(panel(page, 'After', 'Event history')).toBeInViewport({ ratio: 1 });
  }
});

test('a question takes the place of the map before a room, and its answer moves no panel out of sight', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await startScenario(page, 'receipt/lost-ack', 'asked');
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('radio', { name: /reconcile/ })).toBeVisible();
  await page.goto(`${runPath(page)}?view=projector`);
  const last = () => panel(page, 'After', 'Event history');
  await expect(last()).toBeInViewport({ ratio: 1 });
  await page.getByRole('radio', { name: /reconcile/ }).check();
  await page.getByRole('button', { name: 'Lock my answer and run the step' }).click();
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
  await page.goto(`${runPath(page)}?view=projector&predict=off`);
  await expect(page.getByRole('region', { name: 'Prediction and fact' })).toBeInViewport({ ratio: 1 });
  await expect(last()).toBeInViewport({ ratio: 1 });
});

test('what a teacher has set stays: at the start, after Reset, and in a branch', async ({ page }) => {
  await page.goto('/scenarios/receipt/lost-ack?predict=off&view=nonsense');
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+\?predict=off$/);
  await runToEnd(page);
  const first = runPath(page);
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.waitForURL((url) => url.pathname !== first && url.search === '?predict=off');
  await page.goto(`${first}?predict=off`);
  await page.getByRole('button', { name: 'What if I had retried anyway?' }).click();
  await page.getByRole('button', { name: 'Branch', exact: true }).click();
  await page.waitForURL((url) => url.pathname !== first && url.search === '?predict=off');
});

test('an answer that a second tab gives too late is said to have come too late; the first one stays', async ({
  page,
  context,
}) => {
  await startScenario(page, 'receipt/lost-ack', 'asked');
  for (const verb of ['init', 'plan', 'run']) await nextStep(page, verb).click();
  const second = await context.newPage();
  await second.goto(page.url());
  await second.getByRole('radio', { name: /Nobody can tell/ }).check();
  await page.getByRole('radio', { name: /reconcile/ }).check();
  await page.getByRole('button', { name: 'Lock my answer and run the step' }).click();
  await expect(page.getByRole('region', { name: 'Prediction and fact' })).toBeVisible();
  await second.getByRole('button', { name: 'Lock my answer and run the step' }).click();
  const sentence = 'This question was answered already; the first answer stays.';
  await expect(second.getByText(sentence)).toBeVisible();
  await expect(second.getByRole('spinbutton', { name: 'Your number' })).toBeVisible();
  await expect(second.getByText(sentence), 'after the form was replaced').toBeVisible();
  await expect(second.getByRole('region', { name: 'Prediction and fact' })).toContainText('reconcile');
  await expect(page.getByText(sentence)).toHaveCount(0);
});
