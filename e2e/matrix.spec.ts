import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

test.use({ fresh: true });

const LONG = { timeout: 180_000 };

test('a matrix is swept, read, filtered, and a cell of it opened as a run', async ({ page }, info) => {
  await page.goto('/matrix');
  await look(page, info, 'matrix, overview');
  await page.getByRole('link', { name: /^Crash matrix.*Receipt$/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Crash matrix');
  await look(page, info, 'matrix, nothing swept');
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await expect(page.getByRole('status')).toHaveText('Done', LONG);
  await expect(page.getByRole('progressbar', { name: 'One fault' })).toHaveAttribute('value', '42');

  const table = page.getByRole('region', { name: 'Run one approved change', exact: true }).getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveText(['Dies at', 'exit 86', 'SIGKILL', 'SIGABRT']);
  await expect(table.getByRole('rowheader').first()).toHaveText('run · before-intent');
  await expect(table.getByRole('rowheader')).toHaveCount(7);
  const row = table.getByRole('row').filter({ hasText: 'after-target' });
  const cell = row.getByRole('link').nth(1);
  await expect(cell).toHaveAccessibleName(/holds: Reconcile.*1 effect/);
  await look(page, info, 'matrix, swept');
  await cell.click();
  const detail = page.getByRole('region', { name: 'Cell' });
  await expect(detail).toContainText('In step run the executor dies by SIGKILL at after-target');
  await look(page, info, 'matrix, a cell');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    detail.getByRole('link', { name: 'Download as a scenario' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^cell-run-[0-9a-f]{10}\.yaml$/);

  await page.getByRole('link', { name: 'not “holds” 0' }).click();
  await expect(page.getByText('Every recorded cell of this layer holds.').first()).toBeVisible();
  await page.goBack();
  await detail.getByRole('button', { name: 'Open as a run' }).click();
  await page.waitForURL(/\/runs\/\w+/, LONG);
  await expect(page.getByRole('status')).toContainText('Verdict: holds');
});

test('an address names its sweep or says that there is none; an earlier one is found and deleted', async ({
  page,
}, info) => {
  await page.goto('/matrix/session');
  for (const depth of ['3', '2']) {
    await page.getByRole('combobox', { name: 'Faults in a cell' }).selectOption(depth);
    const before = page.url();
    await page.getByRole('button', { name: 'Start the sweep' }).click();
    await page.waitForURL((url) => url.href !== before);
    await page.getByText(/^\d sweeps? of this lab$/).click();
    await expect(page.getByRole('button', { name: /^Delete the sweep/ })).toHaveCount(depth === '3' ? 0 : 1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('status')).toHaveText('Cancelled; what was recorded stays.', LONG);
  }
  const shown = new URL(page.url()).searchParams.get('sweep') ?? '';
  for (const address of ['/matrix/receipt', '/safeguards/session', '/safeguards/receipt']) {
    await page.goto(`${address}?sweep=${shown}`);
    await expect(page.getByText('There is no such sweep here.')).toBeVisible();
  }
  await page.goto('/matrix/session?sweep=nonsense');
  await look(page, info, 'matrix, no such sweep');
  await page.getByRole('link', { name: 'Show the newest' }).click();
  await expect(page.getByRole('status')).toHaveText('Cancelled; what was recorded stays.');

  await page.getByText('2 sweeps of this lab').click();
  const earlier = page.getByRole('listitem').filter({ hasText: 'Three faults' });
  await earlier.getByRole('link').click();
  await page.waitForURL(/sweep=/);
  expect(page.url()).not.toContain(shown);
  await look(page, info, 'matrix, earlier sweeps');
  await earlier.getByRole('button', { name: /^Delete the sweep/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the sweep' }).click();
  await page.waitForURL(/\/matrix\/session$/);
  await expect(page.getByText('1 sweep of this lab')).toBeVisible();
});

test('an address that cannot be decoded is a bad request, in plain words', async ({ request }) => {
  for (const path of ['/matrix/%E0%A4%A', '/runs/%', '/scenarios/receipt/%zz']) {
    const answer = await request.get(path);
    expect(answer.status(), path).toBe(400);
    expect(await answer.text()).toContain('names no page');
  }
});

test('what if this rule were missing: asked first, then both runs side by side', async ({ page }, info) => {
  await page.goto('/scenarios/receipt/lost-ack');
  await page.getByText('What if this rule were missing?').click();
  const none = page
    .getByRole('group', { name: 'Which invariant will break?' })
    .getByRole('radio', { name: 'None of them' });
  await none.check();
  await page.getByRole('button', { name: 'Run both' }).click();
  await expect(page.getByText('Choose at least one rule')).toBeVisible();
  await expect(none).toBeChecked();
  await page.getByRole('checkbox', { name: /^receipt-in-the-same-commit/ }).check();
  await look(page, info, 'missing rule, asked');
  await page.getByRole('button', { name: 'Run both' }).click();
  await page.waitForURL(/\/missing\?/, LONG);
  await expect(page.getByText('Your prediction: None of them')).toBeVisible();
  await expect(page.getByRole('status')).toContainText('every-change-accounted');
  await expect(page.getByRole('region', { name: 'With every rule' })).toContainText('holds');
  await expect(page.getByRole('region', { name: 'With the rule missing' })).toContainText('violated');
  await look(page, info, 'missing rule, answered');

  const { pathname, searchParams } = new URL(page.url());
  const [sound, weak] = [searchParams.get('sound') ?? '', searchParams.get('weak') ?? ''];
  for (const [first, second, said, why] of [
    [weak, sound, 'none', 'has a rule missing'],
    [sound, sound, 'none', 'has no rule missing'],
    [sound, weak, 'anything', 'no invariant of this lab'],
  ] as const) {
    await page.goto(`${pathname}?${new URLSearchParams({ sound: first, weak: second, said })}`);
    await expect(page.getByText(why)).toBeVisible();
    await expect(page.getByRole('region', { name: 'With every rule' })).toHaveCount(0);
  }
});
