/** What the page shows in the drills of the other labs that people ask about first. */
import { nextStep, panel, runToEnd, startScenario, step } from './drill.ts';
import { expect, test } from './fixtures.ts';

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
  await expect(step(page, '4 reconciled')).toContainText('exit 0');
  await expect(page.getByRole('complementary')).toContainText('Effect confirmed');
  await runToEnd(page);
  await expect(panel(page, 'After', 'Operation status')).toContainText('reconciled');
});
