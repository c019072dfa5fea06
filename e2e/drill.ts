/** The drill page as a person names its parts: regions and buttons, nothing of its markup. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export type PanelName = 'Operation status' | 'Target version' | 'Receipts' | 'Event history';

/** A panel of one of the two columns. */
export function panel(page: Page, side: 'Before' | 'After', name: PanelName): Locator {
  return page.getByRole('region', { name: side, exact: true }).getByRole('region', { name, exact: true });
}

/** Begins a run of a scenario and opens it, without questions unless they are what is tested. */
export async function startScenario(
  page: Page,
  id: string,
  questions: 'asked' | 'off' = 'off',
): Promise<void> {
  await page.goto(`/scenarios/${id}`);
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+/);
  if (questions === 'off') await page.goto(`${page.url()}?predict=off`);
}

export function nextStep(page: Page, verb: string): Locator {
  return page.getByRole('button', { name: new RegExp(`^Next step: ${verb}\\b`) });
}

/** A step in the row of steps, by its number and label: "3 crashed". */
export function step(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: name });
}

/** Runs what is left and waits for the verdict. */
export async function runToEnd(
  page: Page,
  verdict: 'holds' | 'violated' | 'unknown' = 'holds',
): Promise<void> {
  await page.getByRole('button', { name: 'Run to end' }).click();
  await expect(page.getByRole('status')).toContainText(`Verdict: ${verdict}`, { timeout: 45_000 });
  await expect(page.getByRole('status')).not.toContainText('to go', { timeout: 45_000 });
}

/** The address of the run that is open, without what is pinned or set. */
export function runPath(page: Page): string {
  return new URL(page.url()).pathname;
}
