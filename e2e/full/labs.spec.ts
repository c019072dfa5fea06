/** What the page shows in the drills of the other labs that people ask about first. */
import { nextStep, panel, runToEnd, startScenario, step } from '../drill.ts';
import { expect, test } from '../fixtures.ts';

test('a stale worker: released late it gets the same ticket, and its acknowledgement is refused', async ({
  page,
}) => {
  await startScenario(page, 'outbox/stale-worker');
  await nextStep(page, 'init').click();
  await nextStep(page, 'enqueue').click();
  await nextStep(page, 'dispatch').click();
  await expect(
    page.getByText(/Step first still holds an executor: process \d+ at after-claim/),
  ).toBeVisible();
  await nextStep(page, 'dispatch').click();
  await expect(panel(page, 'After', 'Operation status')).toContainText('done');
  await expect(step(page, '4 second')).toContainText('exit 0');
  await runToEnd(page);
  await expect(page.getByText(/still holds an executor/)).toHaveCount(0);
  await expect(step(page, '5 released')).toContainText('stale_claim');
  await expect(panel(page, 'After', 'Operation status')).toContainText(/attempts\s*2/);
  await expect(panel(page, 'After', 'Target version')).toContainText('receiver/1');
  await expect(panel(page, 'After', 'Target version')).not.toContainText('receiver/2');
  await expect(panel(page, 'After', 'Event history')).toContainText('ack-refused');
});

test('a cancel after the dispatch undoes nothing: the ticket that exists is recorded with it', async ({
  page,
}) => {
  await startScenario(page, 'write-recovery/cancel-after-dispatch-ticket-there');
  await nextStep(page, 'init').click();
  await nextStep(page, 'approve').click();
  await nextStep(page, 'run').click();
  await expect(step(page, '3 crashed')).toContainText('exit 86');
  await expect(panel(page, 'After', 'Operation status')).toContainText('dispatching');
  await nextStep(page, 'run').click();
  await expect(step(page, '4 cancel')).toContainText('exit 2');
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconcile_required');
  await runToEnd(page);
  await expect(panel(page, 'After', 'Operation status')).toContainText('cancelled');
  await expect(panel(page, 'After', 'Operation status')).toContainText('ticket-1');
  await expect(panel(page, 'After', 'Event history')).toContainText('cancellation_reconciled');
});

test('a server killed after its commit: the call is uncertain, and only reconciliation settles it', async ({
  page,
}) => {
  await startScenario(page, 'session/server-killed-after-commit');
  await nextStep(page, 'init').click();
  await nextStep(page, 'converse').click();
  await expect(step(page, '2 crashed')).toContainText('server died at after-ticket');
  await expect(panel(page, 'After', 'Operation status')).toContainText('uncertain');
  await expect(panel(page, 'After', 'Target version')).toContainText('source-001');
  await nextStep(page, 'converse').click();
  await expect(step(page, '3 too-early')).toContainText('exit 2');
  await nextStep(page, 'reconcile').click();
  await expect(step(page, '4 looked-up')).toContainText('exit 0');
  await expect(page.getByRole('complementary')).toContainText('Effect confirmed');
  await runToEnd(page);
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
});

test('a store that is gone: its number is a question mark, never a zero', async ({ page }) => {
  const figures = page.getByRole('region', { name: 'The three numbers' });
  await startScenario(page, 'outbox/sender-deleted');
  await runToEnd(page);
  await expect(figures).toContainText(/not known\s*attempts made\s*not known: the sender database is gone/);
  await expect(figures).toContainText(/1\s*ticket that exists/);
  await startScenario(page, 'outbox/receiver-deleted');
  await runToEnd(page);
  await expect(figures).toContainText(/tickets that exist\s*not known: the receiver database is gone/);
  await expect(panel(page, 'After', 'Receipts')).toContainText('Not known');
  await expect(panel(page, 'After', 'Receipts')).toContainText('receiver.sqlite is missing');
});

test('the tickets of the tool are said to be out of the sender’s sight, where there is none too', async ({
  page,
}) => {
  const remark = /the sender cannot see them\. That is why unknown looks the same/;
  await startScenario(page, 'outbox/before-external-effect');
  await runToEnd(page);
  await expect(panel(page, 'After', 'Target version')).toContainText(remark);
  await expect(panel(page, 'After', 'Target version')).not.toContainText('external/1');
  await startScenario(page, 'outbox/idempotent-lost-ack');
  await runToEnd(page);
  await expect(panel(page, 'After', 'Target version')).not.toContainText(remark);
});

test('a lost answer of a receiver without receipts: nothing on the page permits a retry', async ({
  page,
}) => {
  await startScenario(page, 'outbox/naive-lost-ack');
  for (const verb of ['init', 'enqueue', 'dispatch']) await nextStep(page, verb).click();
  await expect(step(page, '3 crashed')).toContainText('exit 4');
  await expect(page.getByRole('complementary')).toContainText('Stop and investigate.');
  await expect(page.getByRole('complementary')).toContainText(
    'No receipt is kept: a retry would be a guess.',
  );
  await expect(page.getByRole('complementary')).not.toContainText('may be tried again');
});
