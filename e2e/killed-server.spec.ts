/** A run survives the dashboard: the real server is killed while it works and started again. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import Database from 'better-sqlite3';
import { isAlive } from '../lib/core/process.ts';
import { nextStep, panel, step } from './drill.ts';
import { expect, type Server, test } from './fixtures.ts';

// The page may notice that its server is gone before it is left.
test.use({ fresh: true, expectedErrors: [/ERR_|Failed to (fetch|load)|network error/i] });

/** Executors that the server has recorded for a step. The page says "running" from the click on, before there are any. */
function executorsOf({ dataDir }: Server, seq: number): number[] {
  const db = new Database(join(dataDir, 'dashboard.sqlite'), { readonly: true });
  try {
    return db.prepare('SELECT pid FROM processes WHERE seq = ?').pluck().all(seq) as number[];
  } finally {
    db.close();
  }
}

test('a server killed during a step: after its return the step is interrupted, nothing runs twice, nothing lives on', async ({
  page,
  server,
}) => {
  await page.goto('/scenarios/receipt/lock-held');
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+/);
  const drill = `${new URL(page.url()).pathname}?predict=off`;
  await page.goto(drill);
  await nextStep(page, 'init').click();
  await nextStep(page, 'plan').click();
  await nextStep(page, 'run').click();
  await expect(page.getByText(/Step holding still holds an executor/)).toBeVisible();
  // The second executor waits for the write lock that the first one holds: the step is at work until the bound.
  await nextStep(page, 'run').click();
  await expect(page.getByText('Step 4 is running.')).toBeVisible();
  await expect.poll(() => executorsOf(server, 4), { intervals: [20] }).toHaveLength(1);
  const executors = [...executorsOf(server, 3), ...executorsOf(server, 4)];
  expect(executors).toHaveLength(2);
  const returned = server.dieAndReturn('SIGKILL');
  await page.goto('about:blank');
  await returned;

  await page.goto(drill);
  await expect(page.getByText(/Step second was interrupted/)).toBeVisible();
  await expect(page.getByText(/A held process was lost/)).toBeVisible();
  await expect(step(page, '5 released')).toContainText('to come');
  await expect(page.getByRole('button', { name: /^Next step/ })).toHaveCount(0);
  await expect(panel(page, 'After', 'Operation status')).toContainText('pending');
  await expect(panel(page, 'After', 'Receipts')).toContainText('0');
  for (const pid of executors) {
    // One that has ended and that nobody has waited for yet still answers to a signal.
    await expect.poll(() => isAlive(pid, ''), `executor ${pid} is gone`).toBe(false);
  }
  expect(executorsOf(server, 4), 'the step has not run twice').toHaveLength(1);

  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(nextStep(page, 'init')).toBeVisible();
});

test('a server whose log has lost its reader goes on serving', async ({ server, request }) => {
  const page = await (await request.get('/')).text();
  const action = /(?:&quot;id&quot;:&quot;|"id":"|\$ACTION_ID_)([0-9a-f]{40,})/.exec(page)?.[1] ?? '';
  expect(action, 'the page has an action').not.toBe('');
  server.loseReader();
  // Actions with a body that is none: the server has an error to log, and nowhere to.
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await request.post('/', {
      headers: { 'next-action': action, 'content-type': 'text/plain;charset=UTF-8', origin: server.url },
      data: '[[[',
    });
    expect(answer.status()).toBe(500);
  }
  expect((await request.get('/environment')).status()).toBe(200);
});

test('an open page stays while its server is gone, and looks again by itself', async ({ page, server }) => {
  await page.goto('/scenarios/receipt/lock-held');
  await page.getByRole('button', { name: 'Start the drill' }).click();
  await page.waitForURL(/\/runs\/\w+/);
  await page.goto(`${new URL(page.url()).pathname}?predict=off`);
  for (const verb of ['init', 'plan', 'run']) await nextStep(page, verb).click();
  await expect(page.getByText(/Step holding still holds an executor/)).toBeVisible();
  await nextStep(page, 'run').click();
  await expect(page.getByText('Step 4 is running.')).toBeVisible();
  await expect.poll(() => executorsOf(server, 4), { intervals: [20] }).toHaveLength(1);
  const returned = server.dieAndReturn('SIGKILL');
  await expect(page.getByRole('alert').filter({ hasText: 'The server does not answer.' })).toBeVisible();
  await expect(step(page, '3 holding')).toBeVisible();
  await returned;
  await expect(page.getByText(/Step second was interrupted/)).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: 'The server does not answer.' })).toHaveCount(0);
  await expect(page.getByText('This page could not be shown')).toHaveCount(0);
});

/** Begins a sweep and waits until some of its cells are recorded. Returns where it is shown, and how many. */
async function sweepAtWork(page: Page, depth: '2' | '3'): Promise<{ path: string; recorded: number }> {
  await page.goto('/matrix/receipt');
  await page.getByRole('combobox', { name: 'Faults in a cell' }).selectOption(depth);
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await page.waitForURL(/sweep=/);
  const { pathname, search } = new URL(page.url());
  await expect(oneFault(page)).toHaveAttribute('value', /^[1-9]\d?$/);
  const recorded = Number(await oneFault(page).getAttribute('value'));
  await page.goto('about:blank');
  return { path: pathname + search, recorded };
}

const oneFault = (page: Page) => page.getByRole('progressbar', { name: 'One fault' });

test('a server ended by SIGKILL during a sweep goes on from the recorded cells', async ({ page, server }) => {
  const { path, recorded } = await sweepAtWork(page, '2');
  await server.dieAndReturn('SIGKILL');
  await page.goto(path);
  expect(Number(await oneFault(page).getAttribute('value'))).toBeGreaterThanOrEqual(recorded);
  await expect(page.getByRole('status')).toHaveText('Done', { timeout: 120_000 });
  await expect(oneFault(page)).toHaveAttribute('value', '42');
  await expect(page.getByRole('main')).toContainText('holds');
});
