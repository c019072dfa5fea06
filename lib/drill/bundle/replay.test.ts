import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labs } from '../../labs/registry.ts';
import { caseBundle, forge, runCase } from '../../testing/case.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { hasRace } from '../propose.ts';
import { scenariosOf } from '../scenario.ts';
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

test('a run with a race is compared by checks, statements and verdict', async (t) => {
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
    const before = journal.steps[3]?.before?.panels[3].rows[1];
    assert.ok(row && before);
    // What no check and no statement looks at: only the bytes tell.
    for (const one of [row, before]) one.cells.detail = 'expects version 9';
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
