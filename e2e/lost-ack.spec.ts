import { nextStep, panel, step } from './drill.ts';
import { expect, test } from './fixtures.ts';

test('a first visit leads to a killed process, its recovery and its resubmission, with one effect throughout', async ({
  page,
}) => {
  await page.goto('/');
  const first = page.getByRole('region', { name: 'The process died; the ledger says pending' });
  await first.getByRole('button', { name: 'Start the drill' }).click();
  await expect(
    page.getByRole('heading', { level: 1, name: 'The process died; the ledger says pending' }),
  ).toBeVisible();
  await expect(page.getByRole('status')).toContainText('5 steps to go');

  await nextStep(page, 'init').click();
  await nextStep(page, 'plan').click();
  await nextStep(page, 'run').click();
  await expect(step(page, '3 crashed')).toContainText('exit 86');
  // While the question is open, nothing names the place of the death.
  await expect(step(page, '3 crashed')).toContainText('the process died');
  await expect(page.getByText('after-target').filter({ visible: true })).toHaveCount(0);
  await expect(page.getByRole('img', { name: /Outcome unknown since step 3/ })).toBeVisible();
  await expect(page.getByRole('complementary')).toContainText('Exit 86 and no reply.');
  await expect(panel(page, 'After', 'Operation status')).toContainText('pending');
  await expect(panel(page, 'After', 'Target version')).toContainText('2');
  await expect(panel(page, 'After', 'Receipts')).toContainText('8886…5707');

  // The question stands before the step, and what it asks is shown nowhere.
  await expect(page.getByText('reconciled', { exact: true })).toHaveCount(0);
  await page.getByRole('radio', { name: 'The effect exists; reconcile the record' }).check();
  await page.getByRole('button', { name: 'Lock my answer and run the step' }).click();
  await expect(page.getByRole('region', { name: 'Prediction and fact' })).toContainText(
    'The effect exists; reconcile the record',
  );
  await expect(panel(page, 'Before', 'Operation status')).toContainText('pending');
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
  await expect(panel(page, 'After', 'Operation status')).toContainText('changed');
  await expect(panel(page, 'After', 'Target version')).toContainText('same');
  await expect(panel(page, 'After', 'Receipts')).toContainText('same');
  await expect(panel(page, 'After', 'Event history')).toContainText('+1');
  await expect(page.getByRole('img', { name: 'Outcome unknown from step 3 until step 4' })).toBeVisible();

  await page.getByRole('spinbutton', { name: 'Your number' }).fill('2');
  await page.getByRole('button', { name: 'Lock my answer and run the step' }).click();
  const reveal = page.getByRole('region', { name: 'Prediction and fact' });
  await expect(reveal.getByRole('definition').first()).toHaveText('2');
  await expect(reveal.getByRole('definition').last()).toHaveText('1');
  await expect(page.getByRole('status')).toHaveText(/Verdict: holds$/);
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
  await expect(panel(page, 'After', 'Target version')).toContainText('same');

  await page.getByRole('link', { name: 'Crash → recovery' }).click();
  await expect(page).toHaveURL(/before=crashed&after=recovered/);
  await expect(panel(page, 'Before', 'Operation status')).toContainText('pending');
  await page.getByRole('combobox', { name: 'Step shown as Before' }).selectOption('1 init');
  await expect(panel(page, 'Before', 'Target version')).toContainText('1');
});

test('ownership unknown: the value is right, nobody can say whose it is, and nothing is tried again', async ({
  page,
}) => {
  await page.goto('/scenarios/receipt/ownership-unknown');
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+/);
  await page.goto(`${page.url()}?predict=off`);
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('status')).toHaveText(/Verdict: holds$/);
  await expect(panel(page, 'After', 'Operation status')).toContainText('uncertain');
  await expect(panel(page, 'After', 'Target version')).toContainText('true');
  await expect(panel(page, 'After', 'Receipts')).toContainText('0');
  for (const name of ['Operation status', 'Target version', 'Receipts'] as const) {
    await expect(panel(page, 'After', name)).toContainText('same');
  }
  await expect(page.getByRole('complementary')).toContainText('Effect unknown');
  await expect(page.getByRole('complementary')).toContainText('Stop and investigate.');
  await expect(
    page.getByRole('img', { name: /Outcome unknown since step 3; nothing has closed it/ }),
  ).toBeVisible();
  await page
    .getByRole('group')
    .filter({ hasText: 'What really happened' })
    .getByText('What really happened')
    .click();
  await expect(page.getByRole('complementary')).toContainText('Somebody else');
});

test('a retry after a lost reply makes a second ticket, and a receipt at the receiver prevents it', async ({
  page,
}) => {
  const figures = page.getByRole('region', { name: 'The three numbers' });
  for (const [id, tickets, receipts] of [
    ['outbox/naive-lost-ack', '1 then 2 tickets that exist', '0 receipts'],
    ['outbox/idempotent-lost-ack', '1 ticket that exists', '1 receipt that proves it'],
  ] as const) {
    await page.goto(`/scenarios/${id}`);
    await page.getByRole('button', { name: 'Start the drill' }).click();
    await page.waitForURL(/\/runs\/\w+/);
    await page.goto(`${page.url()}?predict=off`);
    await page.getByRole('button', { name: 'Run to end' }).click();
    await expect(page.getByRole('status')).toHaveText(/Verdict: holds$/);
    const spoken = ((await figures.textContent()) ?? '').replace(/\s*→\s*/g, ' then ').replace(/\s+/g, ' ');
    expect(spoken.replace(/( then)+/g, ' then')).toContain(tickets);
    await expect(figures).toContainText(receipts.slice(2));
  }
});
