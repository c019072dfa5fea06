/** What everybody sees first passes axe and does not scroll sideways; every other page is looked at in `e2e/full/`. */
import { nextStep, startScenario } from './drill.ts';
import { test } from './fixtures.ts';
import { look } from './look.ts';

test('the catalogue, a question on the drill page, and the investigations can be used by everybody', async ({
  page,
}, info) => {
  await page.goto('/');
  await look(page, info, 'catalogue');
  await startScenario(page, 'receipt/lost-ack', 'asked');
  for (const verb of ['init', 'plan', 'run']) await nextStep(page, verb).click();
  await page.getByRole('radio', { name: /reconcile/ }).waitFor();
  await look(page, info, 'drill page at a question');
  await page.goto('/investigations');
  await look(page, info, 'investigations');
});
