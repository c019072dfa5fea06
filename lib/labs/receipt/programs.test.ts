/**
 * Random programs of commands and faults. Whatever order they come in, no statement breaks; with what the lab warns
 * of, a statement notices. Repeat a failure with DRILL_SEED.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import type { FaultSpec, StepSpec } from '../../drill/model.ts';
import { seedOf, tempDir } from '../../testing/temp-dir.ts';
import { makeProposal } from './proposal.ts';
import { assertSound, INIT, Trial } from './testing/session.ts';

const OPERATIONS = ['finding-a', 'finding-b'];
const EXITS: readonly unknown[] = [0, 2, 3, 4, 65, 86];
const RUN_PLACES = [
  'before-intent',
  'before-intent-commit',
  'after-intent',
  'before-target-commit',
  'after-target',
  'before-complete-commit',
  'after-complete',
];
const RECOVERY_PLACES = ['before-reconcile-commit', 'after-reconcile'];

const fault = (places: string[]): fc.Arbitrary<FaultSpec | undefined> =>
  fc.option(fc.record({ at: fc.constantFrom(...places), do: fc.constantFrom('exit', 'kill', 'abort') }), {
    nil: undefined,
    freq: 2,
  });
const operation = fc.constantFrom(...OPERATIONS);

/** A proposal against some version: the current one, an old one, or one that is not reached yet. */
const proposal = fc
  .record({ operation, version: fc.constantFrom(1, 1, 1, 2, 3), value: fc.boolean() })
  .map(({ operation: id, version, value }): Json => makeProposal(id, version, value));
const tampered = proposal.map((made): Json => ({ ...(made as object), digest: 'f'.repeat(64) }));

const run = fc.record({
  command: fc.constant('run'),
  args: fc.record({
    proposal: fc.oneof({ weight: 9, arbitrary: proposal }, { weight: 1, arbitrary: tampered }),
    approve: fc.constantFrom(true, true, true, true, false),
  }),
  fault: fault([...RUN_PLACES, ...RECOVERY_PLACES]),
});
const recover = fc.record({
  command: fc.constant('recover'),
  args: fc.record({ operation }),
  fault: fault(RECOVERY_PLACES),
});
const drift = fc.record({ command: fc.constant('drift'), args: fc.record({ value: fc.boolean() }) });
const command = fc.oneof(
  { weight: 6, arbitrary: run },
  { weight: 3, arbitrary: recover },
  { weight: 1, arbitrary: drift },
);

type Command = { command: string; args: Record<string, Json>; fault?: FaultSpec | undefined };

function asStep({ command: name, args, fault: armed }: Command): StepSpec {
  return { label: name, command: name, args, ...(armed ? { fault: armed } : {}) };
}

/** Runs a program in a directory of its own; the directories of failed programs stay with the test's. */
async function withTrial(dir: string, count: number, work: (trial: Trial) => Promise<void>): Promise<void> {
  const trial = new Trial(join(dir, String(count)));
  try {
    await trial.step(INIT);
    await work(trial);
  } finally {
    await trial.dispose();
  }
}

/** A call that says it certainly changed nothing has left target and receipts as they were. */
function assertDefiniteIsTrue(trial: Trial, before: string): void {
  const end = trial.records.at(-1)?.executors[0];
  if (end?.reply?.definite !== true) return;
  assert.equal(canonicalJson([trial.rows('target'), trial.rows('receipts')]), before);
}

async function execute(trial: Trial, commands: readonly Command[]): Promise<void> {
  for (const one of commands) {
    const before = canonicalJson([trial.rows('target'), trial.rows('receipts')]);
    const record = await trial.step(asStep(one));
    const [end] = record.executors;
    assert.ok(EXITS.includes(end?.code) || end?.signal, `exit ${end?.code}: ${end?.stderr}`);
    assertDefiniteIsTrue(trial, before);
    assertSound([record]);
  }
}

async function property(t: TestContext, numRuns: number, body: fc.IAsyncProperty<never>): Promise<void> {
  await fc.assert(body, { seed: seedOf(t), numRuns, endOnFailure: false, interruptAfterTimeLimit: 120_000 });
}

test('random programs of commands and faults break no statement, and a recovery ends every doubt', async (t) => {
  const dir = tempDir(t);
  let count = 0;
  const programs = fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 8 }), (commands) =>
    withTrial(dir, count++, async (trial) => {
      await execute(trial, commands as Command[]);
      for (const id of OPERATIONS) {
        const record = await trial.step({ label: 'recover', command: 'recover', args: { operation: id } });
        const effect = record.executors[0]?.reply?.effect;
        assert.ok(effect === 'unknown' || (effect === 'confirmed') === trial.effects(id) > 0);
      }
      assertSound(trial.records);
    }),
  );
  await property(t, 20, programs as unknown as fc.IAsyncProperty<never>);
});

test('with records deleted, receipts spoilt or stores lost, the statements notice', async (t) => {
  const dir = tempDir(t);
  let count = 0;
  const [id] = OPERATIONS as [string];
  const done: Command = { command: 'run', args: { proposal: makeProposal(id, 1, true), approve: true } };
  const first = fc.constantFrom<FaultSpec | undefined>(
    undefined,
    { at: 'after-target' },
    { at: 'before-complete-commit', do: 'kill' },
    { at: 'after-complete', do: 'abort' },
  );
  const trouble = fc.constantFrom<StepSpec>(
    { label: 'trouble', command: 'forget', args: { operation: id } },
    { label: 'trouble', damage: 'damage-receipt' },
    { label: 'trouble', damage: 'empty-receipt' },
    { label: 'trouble', damage: 'delete-database' },
    { label: 'trouble', damage: 'overwrite-database' },
  );
  const rest = fc.array(command, { maxLength: 3 });
  const programs = fc.asyncProperty(first, rest, trouble, (at, commands, spec) =>
    withTrial(dir, count++, async (trial) => {
      await execute(trial, [{ ...done, fault: at }, ...(commands as Command[])]);
      const record = await trial.step(spec);
      const noticed = record.invariants.filter((found) => found.result !== 'holds');
      assert.notEqual(noticed.length, 0, `${spec.command ?? spec.damage} went unnoticed`);
    }),
  );
  await property(t, 12, programs as unknown as fc.IAsyncProperty<never>);
});
