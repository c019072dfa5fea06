/** The recover table, one test a line, with executors that really die and receipts that are really lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { canonicalJson } from '../../core/canonical.ts';
import { assertAnswer, assertSound, INIT, PLAN, RECOVER, RUN, type Trial, trial } from './testing/session.ts';

const crashed = (at: string) => ({ ...RUN, label: 'crashed', fault: { at, action: 'kill' as const } });
const drift = (value: boolean) => ({ label: 'drift', command: 'drift', args: { value } });

/** What no command and no damage does, so that a line of the table can be reached. */
function byHand(run: Trial, sql: string): void {
  const db = new Database(run.database);
  db.exec(sql);
  db.close();
}

async function changesNothing(run: Trial, recover: () => Promise<unknown>): Promise<void> {
  const before = ['operation', 'target', 'receipts', 'events'].map((id) =>
    canonicalJson(run.rows(id as 'target')),
  );
  await recover();
  const after = ['operation', 'target', 'receipts', 'events'].map((id) =>
    canonicalJson(run.rows(id as 'target')),
  );
  assert.deepEqual(after, before);
}

test('none, none: unknown operation, 3, definite, nothing written', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, crashed('before-intent-commit'));
  await changesNothing(run, async () => {
    const record = await run.step(RECOVER);
    assertAnswer(record, 3, {
      status: 'nothing-recorded',
      effect: 'absent',
      retryable: true,
      decision: 'retry-same-key',
      definite: true,
    });
  });
  assertSound(run.records);
});

test('none, present: nothing recorded, unknown, 2, nothing written', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, crashed('after-target'));
  byHand(run, 'DELETE FROM operations');
  await run.step({ label: 'inspect', command: 'inspect' });
  await changesNothing(run, async () => {
    const record = await run.step(RECOVER);
    assertAnswer(record, 2, {
      status: 'nothing-recorded',
      effect: 'unknown',
      retryable: false,
      decision: 'investigate',
      definite: false,
    });
  });
});

test('pending, matching receipt: reconciled, 0, whether the target has moved on or not', async (t) => {
  for (const drifted of [false, true]) {
    const run = trial(t);
    await run.steps(INIT, PLAN, crashed('after-target'), ...(drifted ? [drift(false)] : []));
    const record = await run.step(RECOVER);
    assertAnswer(record, 0, {
      status: 'reconciled',
      effect: 'confirmed',
      retryable: false,
      decision: 'reconcile',
      driftAfterReceipt: drifted,
    });
    assert.equal(run.status(), 'reconciled');
    assert.equal(run.version(), drifted ? 3 : 2);
    assertSound(run.records);
  }
});

test('pending, none, still at the expected version: pending, 4, and the classification is recorded', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, crashed('after-intent'));
  const record = await run.step(RECOVER);
  assertAnswer(record, 4, {
    status: 'pending',
    effect: 'absent',
    retryable: true,
    decision: 'retry-same-key',
    definite: true,
  });
  assert.equal(run.status(), 'pending');
  assert.equal(run.rows('events').at(-1)?.cells.kind, 'found-absent');
  assertSound(run.records);
});

test('pending, none, moved: uncertain, 2, whatever value the other actor set', async (t) => {
  for (const value of [true, false]) {
    const run = trial(t);
    await run.steps(INIT, PLAN, crashed('after-intent'), drift(value));
    const record = await run.step(RECOVER);
    assertAnswer(record, 2, {
      status: 'uncertain',
      effect: 'unknown',
      retryable: false,
      decision: 'investigate',
      definite: false,
    });
    assert.equal(run.status(), 'uncertain');
    assertSound(run.records);
  }
});

test('pending, digest differs: uncertain, 2, with a damaged and with an emptied receipt', async (t) => {
  for (const damage of ['damage-receipt', 'empty-receipt']) {
    const run = trial(t);
    await run.steps(INIT, PLAN, crashed('after-target'), { label: 'damage', damage });
    const record = await run.step(RECOVER);
    assertAnswer(record, 2, {
      status: 'uncertain',
      effect: 'unknown',
      retryable: false,
      decision: 'investigate',
    });
    assert.equal(run.status(), 'uncertain');
    assertAnswer(await run.step(RUN), 2, { status: 'uncertain' });
    assert.equal(run.version(), 2);
  }
});

test('complete or reconciled: unchanged, 0, nothing written', async (t) => {
  const complete = trial(t);
  await complete.steps(INIT, PLAN, crashed('after-complete'));
  await changesNothing(complete, async () =>
    assertAnswer(await complete.step(RECOVER), 0, {
      status: 'complete',
      effect: 'confirmed',
      decision: 'none',
    }),
  );
  const reconciled = trial(t);
  await reconciled.steps(INIT, PLAN, crashed('after-target'), RECOVER);
  await changesNothing(reconciled, async () =>
    assertAnswer(await reconciled.step(RECOVER), 0, {
      status: 'reconciled',
      effect: 'confirmed',
      decision: 'none',
    }),
  );
  assertSound([...complete.records, ...reconciled.records]);
});

test('rejected: unchanged, absent, 3, not retryable, nothing written', async (t) => {
  const run = trial(t);
  const rejected = await run.steps(INIT, PLAN, drift(true), RUN);
  assertAnswer(rejected, 3, { status: 'rejected', effect: 'absent', retryable: false, definite: true });
  await changesNothing(run, async () => {
    const record = await run.step(RECOVER);
    assertAnswer(record, 3, { status: 'rejected', effect: 'absent', retryable: false, decision: 'none' });
  });
  assertAnswer(await run.step(RUN), 3, { status: 'rejected' });
  assertSound(run.records);
});

test('uncertain: a receipt of its own that turns up ends the doubt, and recovery records it', async (t) => {
  const run = trial(t);
  await run.steps(INIT, PLAN, crashed('after-intent'), drift(true), RECOVER);
  await changesNothing(run, async () => assertAnswer(await run.step(RECOVER), 2, { status: 'uncertain' }));
  byHand(
    run,
    "INSERT INTO receipts SELECT operation, digest, target, 1, 2 FROM operations WHERE status = 'uncertain'",
  );
  assertAnswer(await run.step(RECOVER), 0, {
    status: 'reconciled',
    effect: 'confirmed',
    decision: 'reconcile',
  });
  assert.equal(run.status(), 'reconciled');
  const kept = run.records.at(-1)?.invariants.find(({ id }) => id === 'final-status-stays');
  assert.equal(kept?.result, 'holds', kept?.detail);
});
