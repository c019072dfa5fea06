/** Click on "Next step" to new evidence painted, in Chromium. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from '@playwright/test';
import type { Row } from './measure.ts';
import { begin, serve } from './server.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Longer than a pool of two needs to refill. */
const PAUSE_MS = 1_500;

/**
 * In the page: clicks, waits until the button names another step, which comes with the evidence (the notice that a
 * step is at work changes the page before that), then for the frame that shows it: what a frame's callback puts off
 * comes after its paint.
 */
async function click(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const nextStep = () =>
      [...document.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Next step'));
    const button = nextStep();
    const name = button?.textContent;
    const changed = new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        if (nextStep()?.textContent === name) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    const begin = performance.now();
    button?.click();
    await changed;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    return performance.now() - begin;
  });
}

async function clicks(browser: Browser, url: string, count: number, pause: boolean): Promise<number[]> {
  const page = await (await browser.newContext()).newPage();
  const values: number[] = [];
  while (values.length < count) {
    await page.goto(await begin(url), { waitUntil: 'networkidle' });
    for (let step = 0; step < 4 && values.length < count; step += 1) {
      if (pause) await page.waitForTimeout(PAUSE_MS);
      values.push(await click(page));
    }
  }
  await page.context().close();
  return values;
}

/** @returns no rows where there is no Chromium */
export async function browserClicks(count: number, bareMs: number): Promise<Row[]> {
  const executablePath = process.env.DRILL_CHROMIUM ?? CHROMIUM.find((file) => existsSync(file));
  if (!executablePath) {
    process.stdout.write('No Chromium here: the clicks in a browser were not measured.\n');
    return [];
  }
  const server = await serve();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const floor = { name: 'bare', ms: bareMs };
  try {
    await clicks(browser, server.url, 4, false);
    return [
      {
        measure: 'click to painted evidence, with a pause',
        values: await clicks(browser, server.url, count, true),
        floor,
        goal: 1.7,
      },
      {
        measure: 'click to painted evidence, back to back',
        values: await clicks(browser, server.url, count, false),
        floor,
        goal: 3,
      },
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}
