import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { canonicalJson } from '../core/canonical.ts';
import { readBundle } from '../drill/bundle/read.ts';
import { replayBundle } from '../drill/bundle/replay.ts';
import { rawDir } from '../drill/engine.ts';
import type { StepRecord } from '../drill/model.ts';
import { parseScenario } from '../drill/scenario.ts';
import { MAX_STEPS } from '../drill/schema.ts';
import { panel } from '../evidence/model.ts';
import { getLab } from '../labs/registry.ts';
import { dataDirFor } from '../testing/data-dir.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { addStep } from './add-step.ts';
import { advanceRun } from './advance-run.ts';
import { branchPoints, branchRun } from './branch-run.ts';
import { compareRuns } from './compare-runs.ts';
import { deleteRun } from './delete-run.ts';
import { exportRun } from './export-run.ts';
import { getRun } from './get-run.ts';
import { listRuns } from './list-runs.ts';
import { placeRun } from './place-run.ts';
import { proposeFromRun } from './propose-scenario.ts';
import { newRunId, runDirectory } from './run-directory.ts';
import { runToEnd } from './run-to-end.ts';
import { startRun } from './start-run.ts';

async function whole(t: TestContext, scenario: string): Promise<string> {
  dataDirFor(t);
  const { run } = await startRun({ scenario });
  await runToEnd({ run, seq: 1 });
  return run;
}

const raw = (run: string, seq: number): string =>
  readFileSync(join(rawDir(runDirectory(run), seq), 'lab.sqlite')).toString('base64');

const evidence = (records: readonly StepRecord[]): string =>
  canonicalJson(records.map((one) => one.evidence));

test('a branch that retries anyway changes twice, its origin stays as it is, and the two are compared', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const before = { view: evidence((await getRun(origin)).steps), raw: raw(origin, 3) };
  const { run, ran } = await branchRun({ run: origin, label: 'crashed', retry: 'fresh' });
  assert.deepEqual(ran, ['plan-2', 'run']);
  const branch = await getRun(run);
  assert.deepEqual(branch.origin, { run: origin, label: 'crashed' });
  assert.equal(branch.steps.length, 5);
  assert.equal(evidence(branch.steps.slice(0, 3)), evidence((await getRun(origin)).steps.slice(0, 3)));
  const end = branch.steps.at(-1);
  assert.equal(end?.executors[0]?.code, 0);
  assert.ok(end?.evidence);
  assert.equal(panel(end.evidence, 'target').rows[0]?.cells.version, 3);
  assert.equal(evidence((await getRun(origin)).steps), before.view);
  assert.equal(raw(origin, 3), before.raw);
  const compared = await compareRuns([origin, run]);
  assert.equal(compared.equal, false);
  assert.match(
    compared.sentences[0] as string,
    /^The target is at version 2 and true in run A, at version 3 and true in run B\.$/,
  );
  const list = await listRuns();
  const listed = list.runs.find((row) => row.id === run);
  const { title, createdAt } = await getRun(origin);
  assert.deepEqual(listed?.origin, { run: origin, label: 'crashed', of: { title, createdAt } });
  assert.deepEqual(listed?.costs, ['two changes for one intent']);
  assert.deepEqual(
    (await getRun(origin)).branches.map((one) => [one.run, one.label]),
    [[run, 'crashed']],
  );
});

test('in the outbox the naive retry is a second ticket, and the cost says so', async (t) => {
  const origin = await whole(t, 'outbox/idempotent-lost-ack');
  const { run } = await branchRun({ run: origin, label: 'crashed', retry: 'fresh' });
  const view = await getRun(run);
  assert.deepEqual(
    view.steps.slice(-2).map((step) => step.command),
    ['enqueue', 'dispatch'],
  );
  assert.equal(view.steps.at(-1)?.evidence?.truth.length, 2);
  const { runs } = await compareRuns([origin, run]);
  assert.deepEqual(
    runs.map((one) => one.costs),
    [[], ['two tickets for one intent']],
  );
});

test('with the rule off that would have stopped it, the same retry does harm', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const sound = await branchRun({ run: origin, label: 'crashed', retry: 'same' });
  assert.equal((await getRun(sound.run)).steps.at(-1)?.evidence?.truth.length, 1);
  const weak = await branchRun({
    run: origin,
    label: 'crashed',
    retry: 'same',
    without: ['receipt-before-retry', 'version-check'],
  });
  const view = await getRun(weak.run);
  assert.deepEqual(view.without, ['receipt-before-retry', 'version-check']);
  const { runs } = await compareRuns([sound.run, weak.run]);
  assert.deepEqual(runs[0]?.costs, []);
  assert.deepEqual(runs[1]?.costs, ['two changes for one intent']);
});

test('a branch of a branch works, and exports as one scenario that replays to equal evidence', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const first = await branchRun({ run: origin, label: 'recovered' });
  assert.deepEqual(first.ran, []);
  await addStep({ run: first.run, seq: 5, step: { command: 'drift', args: { value: false } } });
  const second = await branchRun({
    run: first.run,
    label: 'drift',
    without: ['version-check'],
    retry: 'same',
  });
  const view = await getRun(second.run);
  assert.match(view.title, /^Branch after drift: The process died/);
  const bundle = await readBundle((await exportRun(second.run)).bytes);
  assert.deepEqual(
    bundle.scenario.steps.map((step) => [step.label, step.without]),
    [
      ['init', undefined],
      ['plan', undefined],
      ['crashed', undefined],
      ['recovered', undefined],
      ['drift', undefined],
      ['run', ['version-check']],
    ],
  );
  const result = await replayBundle(bundle, tempDir(t));
  assert.equal(result.equal, true, result.says);
});

test('a copy cannot take a held executor along, and says what to do instead', async (t) => {
  const origin = await whole(t, 'receipt/late-executor');
  for (const label of ['late', 'drifted', 'recovered'])
    await assert.rejects(branchRun({ run: origin, label }), /held alive, which no copy can take along/);
  await branchRun({ run: origin, label: 'released' });
});

test('a retry is offered only where this program submitted something, and the refusal says who did otherwise', async (t) => {
  const origin = await whole(t, 'session/parallel-retries');
  const { lab, steps } = await getRun(origin);
  assert.deepEqual(branchPoints(getLab(lab), steps), [
    { label: 'init', same: false, fresh: false },
    { label: 'retries', same: false, fresh: false },
  ]);
  await assert.rejects(
    branchRun({ run: origin, label: 'retries', retry: 'fresh' }),
    /everything was submitted by other actors \("retries"\)/,
  );
  const own = await getRun(await whole(t, 'receipt/lost-ack'));
  assert.deepEqual(branchPoints(getLab(own.lab), own.steps)[2], {
    label: 'crashed',
    same: true,
    fresh: true,
  });
});

test('two runs not yet begun have no evidence, and neither is at its end', async (t) => {
  dataDirFor(t);
  const [a, b] = [
    await startRun({ scenario: 'receipt/lost-ack' }),
    await startRun({ scenario: 'receipt/lost-ack' }),
  ];
  const none = await compareRuns([a.run, b.run]);
  assert.deepEqual(none.sentences, ['Neither has any evidence there.']);
  await advanceRun({ run: a.run, seq: 1 });
  await advanceRun({ run: b.run, seq: 1 });
  const some = await compareRuns([a.run, b.run], 'none-such');
  assert.equal(some.equal, true);
  assert.equal(some.at, 'end');
  assert.deepEqual(
    some.runs.map((one) => one.over),
    [false, false],
  );
});

test('a branch that cannot be asked for begins nothing', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const before = (await listRuns()).total;
  await assert.rejects(branchRun({ run: origin, label: 'nowhere' }), /no finished step "nowhere"/);
  await assert.rejects(
    branchRun({ run: origin, label: 'crashed', without: ['luck'] }),
    /no safeguard "luck"/,
  );
  await assert.rejects(branchRun({ run: origin, label: 'init', retry: 'same' }), /nothing to retry/);
  await assert.rejects(branchRun({ run: '../../etc', label: 'crashed' }), /no run id/);
  assert.equal((await listRuns()).total, before);
});

test('deleting the origin leaves its branch whole', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const { run } = await branchRun({ run: origin, label: 'crashed', retry: 'same' });
  assert.equal((await getRun(run)).originDeleted, false);
  await deleteRun(origin);
  assert.equal((await getRun(run)).originDeleted, true);
  assert.equal((await listRuns()).runs[0]?.origin?.of, null);
  assert.ok(!existsSync(runDirectory(origin)));
  const result = await replayBundle(await readBundle((await exportRun(run)).bytes), tempDir(t));
  assert.equal(result.equal, true, result.says);
});

/** A run of so many steps, told without running them. */
function told(labels: readonly string[]): string {
  const lab = getLab('receipt');
  const run = newRunId();
  const records = labels.map(
    (label): StepRecord => ({
      label,
      spec: { label, command: 'drift', args: { value: true } },
      state: 'failed',
      error: 'not run',
      command: 'drift',
      args: { value: true },
      now: 0,
      without: [],
      executors: [],
      fault: { armed: [], fired: [] },
      trace: [],
      evidence: lab.readEvidence(runDirectory(run)),
      expectations: [],
      invariants: [],
      assessment: null,
      outcome: null,
    }),
  );
  const row = {
    id: run,
    lab: lab.id,
    scenario: null,
    definition: null,
    title: 'Free play',
    without: '[]',
    faithful: 0 as const,
    created_at: new Date().toISOString(),
    origin_run: null,
    origin_label: null,
    steps_total: null,
  };
  const fill = (dir: string) => {
    for (const index of labels.keys()) mkdirSync(rawDir(dir, index + 1), { recursive: true });
  };
  placeRun({ row, lab, scenario: null, records, fill });
  return run;
}

test('a run has as many steps as a scenario can have, and can be handed over with all of them', async (t) => {
  dataDirFor(t);
  const labels = Array.from({ length: MAX_STEPS }, (_, index) => `drift-${index}`);
  const run = told(labels);
  const sentence = /A run has 60 steps at most, so that it can be kept and handed over/;
  await assert.rejects(addStep({ run, seq: MAX_STEPS + 1, step: { command: 'init' } }), sentence);
  assert.equal((await getRun(run)).steps.length, MAX_STEPS);
  assert.equal((await readBundle((await exportRun(run)).bytes)).scenario.steps.length, MAX_STEPS);
});

test('a label has forty characters at most, and a step without one is named within that', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const step = { label: 'x'.repeat(41), command: 'init' };
  await assert.rejects(addStep({ run: origin, seq: 6, step }), /label: a label has 40 characters at most/);
  const { run } = await startRun({ lab: 'receipt' });
  const long = 'y'.repeat(40);
  await addStep({ run, seq: 1, step: { label: 'init', command: 'init' } });
  await addStep({ run, seq: 2, step: { command: 'plan', saves: 'p' } });
  const fault = { at: 'after-target', action: 'hold' as const };
  const args = { proposal: '$p', approve: true };
  await addStep({ run, seq: 3, step: { label: long, command: 'run', args, fault } });
  const { view } = await addStep({ run, seq: 4, step: { release: long } });
  const label = view.steps.at(-1)?.label ?? '';
  assert.match(label, /^release-y+$/);
  assert.ok(label.length <= 40);
  await readBundle((await exportRun(run)).bytes);
});

test('a run whose bundle could not be opened again is not handed over', async (t) => {
  dataDirFor(t);
  const run = told(['x'.repeat(171)]);
  await assert.rejects(
    exportRun(run),
    /makes no bundle that could be opened again, so none is handed over\. /,
  );
});

test('a change that its receipt attributes is none that nobody can attribute', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const { run } = await branchRun({
    run: origin,
    label: 'crashed',
    retry: 'same',
    without: ['receipt-before-retry'],
  });
  const { runs } = await compareRuns([origin, run]);
  assert.deepEqual([runs[1]?.open, runs[1]?.costs], [true, []], 'recovery still ends the doubt');
  const unknown = await startRun({ scenario: 'receipt/ownership-unknown' });
  await runToEnd({ run: unknown.run, seq: 1 });
  assert.deepEqual((await compareRuns([origin, unknown.run])).runs[1]?.costs, [
    'a change nobody can attribute',
  ]);
});

test('a branch that stopped after the crash has left its operation open; its origin has not', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const { run } = await branchRun({ run: origin, label: 'crashed', retry: 'none' });
  const { runs } = await compareRuns([origin, run]);
  assert.deepEqual(
    runs.map(({ open, costs, over }) => [open, costs, over]),
    [
      [false, [], true],
      [true, [], true],
    ],
  );
});

test('list, page and bundle tell one decision', async (t) => {
  const run = await whole(t, 'receipt/lost-ack');
  const listed = (await listRuns({}, 1)).runs.find((row) => row.id === run);
  const { journal, files } = await readBundle((await exportRun(run)).bytes);
  assert.equal(journal.decision, 'reconcile');
  assert.deepEqual([listed?.decision, (await getRun(run)).decision], [journal.decision, journal.decision]);
  for (const name of ['REPORT.md', 'report.html'])
    assert.match(String(files.get(name)), /Effect: confirmed\. Decision: reconcile\./, name);
});

test('what a proposed scenario is to teach says what was decided, how often the target changed, and what it cost', async (t) => {
  const origin = await whole(t, 'receipt/lost-ack');
  const { run } = await branchRun({ run: origin, label: 'crashed', retry: 'fresh' });
  const understoodOf = (id: string) => {
    const parsed = parseScenario(proposeFromRun(id).yaml);
    assert.ok(parsed.ok);
    return parsed.scenario.text.understood ?? '';
  };
  assert.match(understoodOf(run), / The target was changed 2 times: two changes for one intent\.$/);
  const free = await branchRun({ run: origin, label: 'recovered', retry: 'none' });
  assert.equal(
    understoodOf(free.run),
    'The evidence proves the effect, so the record may be reconciled. The target was changed once.',
  );
});
