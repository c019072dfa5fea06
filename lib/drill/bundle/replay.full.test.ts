import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Procedure } from '../../labs/contract.ts';
import { labs } from '../../labs/registry.ts';
import { caseBundle, forge, runCase } from '../../testing/case.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import type { StepRecord } from '../model.ts';
import { hasRace } from '../propose.ts';
import { scenariosOf } from '../scenario.ts';
import { runCell } from '../sweep/cell.ts';
import type { Place, PlacedFault } from '../sweep/model.ts';
import { cellScenario } from '../sweep/scenario.ts';
import { Walks } from '../sweep/walk.ts';
import { JOURNAL, type Journal } from './model.ts';
import { readBundle } from './read.ts';
import { compareReplay, replayBundle } from './replay.ts';
import { makeBundle } from './write.ts';

test('one case of every lab replays to evidence that is equal to the byte', async (t) => {
  assert.ok(labs.length > 0);
  for (const lab of labs) {
    const scenario = scenariosOf(lab.id).find((candidate) => !hasRace(candidate.steps));
    assert.ok(scenario, lab.id);
    const result = await replayBundle(await readBundle(await caseBundle(t, scenario)), tempDir(t));
    assert.equal(result.says.split(':')[0], 'Equal', `${scenario.id}: ${result.says}`);
    assert.equal(result.by, 'bytes');
    assert.equal(result.code.same, true);
  }
});

test('a run with a race is compared by checks, invariants and verdict', async (t) => {
  const result = await replayBundle(
    await readBundle(await caseBundle(t, 'receipt/eight-at-once')),
    tempDir(t),
  );
  assert.equal(result.equal, true, result.says);
  assert.equal(result.by, 'checks');
});

test('free play replays too: it became a scenario', async (t) => {
  for (const id of ['receipt/lost-ack', 'receipt/late-executor', 'receipt/forgotten-ledger']) {
    const source = await runCase(t, id, { scenario: null });
    const bundle = await readBundle(await makeBundle(source));
    assert.equal(bundle.journal.verdict, 'holds', 'what was seen is what is expected');
    const result = await replayBundle(bundle, tempDir(t));
    assert.equal(result.equal, true, result.says);
  }
});

test('a cell of a sweep, in every lab, exports as it was run and is read again', async (t) => {
  for (const lab of labs) {
    const procedure = lab.procedures[0] as Procedure;
    const walks = new Walks({ lab, dir: tempDir(t) });
    const cell = (faults: PlacedFault[]) =>
      runCell(lab, procedure, { procedure: procedure.id, faults }, walks);
    const place = (await cell([])).reached.at(-1) as Place;
    const scenario = cellScenario(lab, procedure, await cell([{ ...place, action: 'kill' }]));
    const bundle = await readBundle(await caseBundle(t, scenario));
    assert.equal(bundle.journal.verdict, 'holds', bundle.journal.reasons.join('; '));
  }
});

test('a run that earlier code has judged in other words is handed over as this code judges it', async (t) => {
  const source = await runCase(t, 'receipt/lost-ack');
  const records = source.records.map((record) => ({
    ...record,
    invariants: record.invariants.slice(1),
    expectations: record.expectations.map((one) => ({ ...one, detail: 'as it was said before' })),
  }));
  const bundle = await readBundle(await makeBundle({ ...source, records }));
  assert.deepEqual(
    bundle.journal.steps.map(({ record }) => record.invariants),
    source.records.map(({ invariants }) => invariants),
  );
});

test('a run that was left half-way exports what was run', async (t) => {
  const source = await runCase(t, 'receipt/lost-ack');
  const bundle = await readBundle(await makeBundle({ ...source, records: source.records.slice(0, 3) }));
  assert.equal(bundle.scenario.steps.length, 3);
  assert.equal((await replayBundle(bundle, tempDir(t))).equal, true);
});

test('evidence that was changed is found by step, panel, row and cell', async (t) => {
  const sound = await caseBundle(t, 'receipt/lost-ack');
  const forged = await forge(sound, (files) => {
    const text = String(files.get(JOURNAL));
    const journal = JSON.parse(text) as Journal;
    const row = journal.steps[2]?.record.evidence?.panels[3].rows[1];
    assert.ok(row);
    // What no check and no invariant looks at: only the bytes tell.
    row.cells.detail = 'expects version 9';
    files.set(JOURNAL, Buffer.from(JSON.stringify(journal)));
  });
  const bundle = await readBundle(forged);
  const source = await runCase(t, 'receipt/lost-ack');
  const { equal, difference, says } = compareReplay(bundle, source.records);
  assert.equal(equal, false);
  assert.deepEqual(difference, {
    step: 'crashed',
    panel: 'events',
    row: '2',
    cell: 'detail',
    bundle: 'expects version 9',
    replay: 'expects version 1',
  });
  assert.match(says, /^Different: after step "crashed", in events, row 2, cell detail: expects version 9 in/);
});

test('an executor that ends otherwise is a difference, with evidence that is equal', async (t) => {
  const source = await runCase(t, 'receipt/lost-ack');
  const bundle = await readBundle(await makeBundle(source));
  const records = source.records.map((record) =>
    record.label === 'crashed'
      ? { ...record, executors: record.executors.map((end) => ({ ...end, code: null, signal: 'SIGKILL' })) }
      : record,
  );
  const { difference } = compareReplay(bundle, records);
  assert.deepEqual([difference?.step, difference?.panel, difference?.cell], ['crashed', 'process', 'end']);
});

test('another version of the code is said, whatever comes out', async (t) => {
  const source = await runCase(t, 'receipt/lost-ack');
  const forged = await forge(await makeBundle(source), (_, manifest) => {
    manifest.code = { version: '0.0.9', digest: 'ab'.repeat(32) };
  });
  const result = compareReplay(await readBundle(forged), source.records);
  assert.equal(result.equal, true);
  assert.match(result.says, /written by another version of the code \(0\.0\.9, abababab; here /);
});

/** As if another executor had won, and a later step had met what that one left. */
function otherwise(records: readonly StepRecord[], label: string): StepRecord[] {
  return records.map((record) => {
    if (record.label !== label) return record;
    const executors = record.executors.map((end, index) => ({
      ...end,
      code: index % 2 === 0 ? 4 : end.code,
      reply: { ...end.reply, status: 'superseded', definite: true },
    }));
    return { ...record, executors };
  });
}

test('of free play with a race nothing is expected that depends on who won, in the race or after it', async (t) => {
  for (const id of ['receipt/eight-at-once', 'write-recovery/eight-at-once']) {
    const source = await runCase(t, id, { scenario: null });
    const bundle = await readBundle(await makeBundle(source));
    const race = bundle.scenario.steps.findIndex((step) => step.race);
    assert.ok(race > 0);
    bundle.scenario.steps.forEach((step, index) => {
      assert.equal(step.expect !== undefined, index < race, `${id} ${step.label}`);
    });
    assert.ok(bundle.scenario.checks.every((check) => 'count' in check || 'changes' in check));
    const last = source.records.at(-1)?.label as string;
    for (const label of [source.records[race]?.label as string, last]) {
      const { says, by } = compareReplay(bundle, otherwise(source.records, label));
      assert.match(says, /^Equal: .*up to the race everything is the same to the byte/);
      assert.equal(by, 'checks');
    }
  }
});

test('in a run with a race, what comes before the race is compared to the byte', async (t) => {
  const source = await runCase(t, 'receipt/eight-at-once');
  const bundle = await readBundle(await makeBundle(source));
  const first = source.records[0]?.label as string;
  const { difference } = compareReplay(bundle, otherwise(source.records, first));
  assert.deepEqual([difference?.step, difference?.panel, difference?.cell], [first, 'process', 'end']);
});

test('a difference by judgment names the step and what it was expected to do', async (t) => {
  const source = await runCase(t, 'receipt/eight-at-once');
  const bundle = await readBundle(await makeBundle(source));
  const { equal, difference, says } = compareReplay(bundle, otherwise(source.records, 'race'));
  assert.equal(equal, false);
  assert.deepEqual([difference?.step, difference?.panel, difference?.row], ['race', 'expectations', 'exits']);
  assert.match(says, /^Different: after step "race", in expectations, row exits/);
  const short = compareReplay(bundle, source.records.slice(0, -1)).difference;
  assert.deepEqual([short?.step, short?.replay], [source.records.at(-1)?.label, 'not run']);
  const failed = source.records.map((one) => ({ ...one, state: 'failed' as const }));
  assert.ok(compareReplay(bundle, failed).difference);
});

test('an executor that concludes otherwise is a difference, with evidence and end that are equal', async (t) => {
  const source = await runCase(t, 'receipt/lost-ack');
  const bundle = await readBundle(await makeBundle(source));
  const records = source.records.map((record) =>
    record.label === 'recovered'
      ? {
          ...record,
          executors: record.executors.map((end) => ({ ...end, reply: { ...end.reply, retryable: true } })),
        }
      : record,
  );
  const { difference } = compareReplay(bundle, records);
  assert.deepEqual(
    [difference?.step, difference?.panel, difference?.cell],
    ['recovered', 'process', 'reply'],
  );
});
