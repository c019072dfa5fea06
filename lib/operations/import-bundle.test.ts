import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { closeStore, store } from '#db/open.ts';
import { canonicalJson } from '../core/canonical.ts';
import { dataDirFor } from '../testing/data-dir.ts';
import { addStep } from './add-step.ts';
import { advanceRun } from './advance-run.ts';
import { branchRun } from './branch-run.ts';
import { catalogue } from './catalogue.ts';
import { deleteRun } from './delete-run.ts';
import { exportRun } from './export-run.ts';
import { getRun } from './get-run.ts';
import { importBundle } from './import-bundle.ts';
import { listRuns } from './list-runs.ts';
import { predict } from './predict.ts';
import { replayOf, replayRun } from './replay-run.ts';
import { runToEnd } from './run-to-end.ts';
import { startRun } from './start-run.ts';

async function exported(t: TestContext): Promise<{ bytes: Buffer; dir: string }> {
  const dir = dataDirFor(t);
  const { run } = await startRun({ scenario: 'receipt/lost-ack' });
  for (const seq of [1, 2, 3]) await advanceRun({ run, seq });
  await predict({ run, seq: 4, value: 'investigate' });
  await runToEnd({ run, seq: 4 });
  const { bytes, name } = await exportRun(run);
  assert.equal(name, 'receipt-lost-ack.zip');
  return { bytes, dir };
}

/** As on another machine: everything gone but the file. */
function emptied(dir: string): void {
  closeStore(dir);
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
}

test('export, delete the data directory, import, replay: equal', async (t) => {
  const { bytes, dir } = await exported(t);
  emptied(dir);
  const { run, fresh } = await importBundle(bytes);
  assert.equal(fresh, true);
  const view = await getRun(run);
  assert.equal(view.steps.length, 5);
  assert.equal(view.verdict, 'holds');
  assert.equal(view.imported?.sameCode, true);
  assert.deepEqual(view.predictions, [{ seq: 4, value: 'investigate' }]);
  assert.equal(await replayOf(run), null);
  const replayed = await replayRun(run);
  assert.equal(replayed.result.equal, true, replayed.result.says);
  assert.equal((await getRun(replayed.run)).replays, run);
  assert.equal((await replayOf(run))?.run, replayed.run);
  const steps = (id: string) =>
    getRun(id).then((one) => canonicalJson(one.steps.map((step) => step.evidence)));
  assert.equal(await steps(run), await steps(replayed.run));
});

test('importing starts no process', async (t) => {
  const { bytes, dir } = await exported(t);
  emptied(dir);
  const { run } = await importBundle(bytes);
  assert.deepEqual(store().prepare('SELECT count(*) AS n FROM processes').get(), { n: 0 });
  assert.deepEqual(readdirSync(join(dir, 'runs', run)), ['case.zip'], 'nothing was unpacked');
});

test('an imported run is shown and never gone on with; its replay can be', async (t) => {
  const { bytes } = await exported(t);
  const { run } = await importBundle(bytes);
  const step = { command: 'forget', args: { operation: 'synthetic-finding-001' } };
  await assert.rejects(addStep({ run, seq: 6, step }), /imported and is only shown/);
  await assert.rejects(advanceRun({ run, seq: 6 }), /imported and is only shown/);
  await assert.rejects(branchRun({ run, label: 'crashed' }), /branch from the replay/);
  assert.equal((await getRun(run)).steps.length, 5);
  const replayed = await replayRun(run);
  await branchRun({ run: replayed.run, label: 'crashed', retry: 'same' });
});

test('the same file twice is one run, and gives back the very file', async (t) => {
  const { bytes } = await exported(t);
  const first = await importBundle(bytes);
  assert.deepEqual(await importBundle(bytes), { run: first.run, fresh: false });
  assert.deepEqual((await exportRun(first.run)).bytes, bytes);
  await deleteRun(first.run);
  const again = await importBundle(bytes);
  assert.equal(again.fresh, true);
});

test('a file that is refused leaves neither a row nor a directory', async (t) => {
  const { bytes, dir } = await exported(t);
  const before = { rows: (await listRuns()).total, runs: readdirSync(join(dir, 'runs')) };
  for (const wrong of [bytes.subarray(0, bytes.length / 2), Buffer.from('PK'), Buffer.alloc(0)])
    await assert.rejects(
      importBundle(wrong),
      (error: Error & { code: string }) => error.code === 'malformed',
    );
  assert.deepEqual({ rows: (await listRuns()).total, runs: readdirSync(join(dir, 'runs')) }, before);
});

test('what dies between the first row and the last is swept away at the next start', async (t) => {
  const { bytes, dir } = await exported(t);
  const { run } = await importBundle(bytes);
  store().prepare('UPDATE runs SET deleting = 1 WHERE id = ?').run(run);
  assert.equal((await importBundle(bytes).catch((error: Error) => error.message.length > 0)) !== null, true);
  const { recoverStore } = await import('./recover-store.ts');
  await recoverStore();
  assert.equal(existsSync(join(dir, 'runs', run)), false);
  assert.equal((await importBundle(bytes)).fresh, true);
});

test('the catalogue takes an imported run for none of its own', async (t) => {
  const { bytes, dir } = await exported(t);
  emptied(dir);
  await importBundle(bytes);
  const entry = (await catalogue())
    .flatMap((lab) => lab.scenarios)
    .find((one) => one.id === 'receipt/lost-ack');
  assert.equal(entry?.tried, false);
});
