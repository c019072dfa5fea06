/** What every page is held to, whatever it shows. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page, TestInfo } from '@playwright/test';
import { expect } from './fixtures.ts';

/** The four panels have the same names in Before and in After, each in its own region. */
function byContract(rule: string, html: string): boolean {
  return rule === 'landmark-unique' && /^<section aria-labelledby="(before|after)-/.test(html);
}

/** No violation of any rule; what offends is attached with its markup. */
async function expectAccessible(page: Page, info: TestInfo, name: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const short = violations
    .map(({ id, nodes }) => ({
      id,
      nodes: nodes.map((node) => node.html).filter((html) => !byContract(id, html)),
    }))
    .filter(({ nodes }) => nodes.length > 0);
  if (short.length > 0) {
    await info.attach(name, { body: JSON.stringify(short, null, 2), contentType: 'application/json' });
  }
  expect(short, name).toEqual([]);
}

/** Nothing makes the page itself scroll sideways. */
async function expectNoSidewaysScroll(page: Page, name: string): Promise<void> {
  const { width, view } = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    view: document.documentElement.clientWidth,
  }));
  expect(width, name).toBeLessThanOrEqual(view);
}

/** The journeys look once; `npm run test:full` looks at every page in light, in dark and at 320 px. */
const EVERY = process.env.DRILL_LOOKS === 'every';

/** A page in light; with every look in dark and at 320 px too. */
export async function look(page: Page, info: TestInfo, name: string): Promise<void> {
  for (const scheme of EVERY ? (['light', 'dark'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await expectAccessible(page, info, `${name}, ${scheme}`);
  }
  if (!EVERY) return;
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page, name);
  await expectAccessible(page, info, `${name}, 320 px`);
  if (size) await page.setViewportSize(size);
}
