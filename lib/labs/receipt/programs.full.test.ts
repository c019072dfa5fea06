/**
 * Random programs of commands and faults. Whatever order they come in, no invariant breaks; with what the lab warns
 * of, a invariant notices. Repeat a failure with DRILL_SEED.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../core/canonical.ts';
import type { JsonObject } from '../../core/json.ts';
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
  fc.option(fc.record({ at: fc.constantFrom(...places), action: fc.constantFrom('exit', 'kill', 'abort') }), {
    nil: undefined,
    freq: 3,
  });
const operation = fc.constantFrom(...OPERATIONS);

/** A submission: the operation's last proposal again, or one planned now, or one whose version is gone or to come. */
const run = fc.record({
  command: fc.constant('run' as const),
  operation,
  proposal: fc.constantFrom('again', 'again', 'again', 'planned', 'planned', 'stale', 'early', 'tampered'),
  value: fc.boolean(),
  approve: fc.constantFrom(true, true, true, true, true, true, false),
  // Most places lie around the effect, where there is most to get wrong.
  fault: fault([...RUN_PLACES, 'after-intent', 'after-target', 'before-complete-commit', ...RECOVERY_PLACES]),
});
const recover = fc.record({
  command: fc.constant('recover' as const),
  operation,
  fault: fault(RECOVERY_PLACES),
});
const drift = fc.record({ command: fc.constant('drift' as const), value: fc.boolean() });
const command = fc.oneof(
  { weight: 6, arbitrary: run },
  { weight: 2, arbitrary: recover },
  { weight: 1, arbitrary: drift },
);

type Command =
  | {
      command: 'run';
      operation: string;
      proposal: string;
      value: boolean;
      approve: boolean;
      fault: FaultSpec | undefined;
    }
  | { command: 'recover'; operation: string; fault: FaultSpec | undefined }
  | { command: 'drift'; value: boolean };

/** What has been submitted last, by operation: a retry sends the very same. */
type Submitted = Map<string, JsonObject>;

function proposalFor(one: Command & { command: 'run' }, version: number, submitted: Submitted): JsonObject {
  const { operation: id, value } = one;
  if (one.proposal === 'stale') return makeProposal(id, Math.max(1, version - 1), value);
  if (one.proposal === 'early') return makeProposal(id, version + 1, value);
  const planned = makeProposal(id, version, value);
  if (one.proposal === 'tampered') return { ...planned, digest: 'f'.repeat(64) };
  const last = submitted.get(id);
  return one.proposal === 'again' && last ? last : planned;
}

function asStep(one: Command, version: number, submitted: Submitted): StepSpec {
  if (one.command === 'drift') return { label: 'drift', command: 'drift', args: { value: one.value } };
  const armed = one.fault ? { fault: one.fault } : {};
  if (one.command === 'recover') {
    return { label: 'recover', command: 'recover', args: { operation: one.operation }, ...armed };
  }
  const proposal = proposalFor(one, version, submitted);
  if (one.proposal !== 'tampered') submitted.set(one.operation, proposal);
  return { label: 'run', command: 'run', args: { proposal, approve: one.approve }, ...armed };
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
  const submitted: Submitted = new Map();
  for (const one of commands) {
    const before = canonicalJson([trial.rows('target'), trial.rows('receipts')]);
    const record = await trial.step(asStep(one, Number(trial.version()), submitted));
    const [end] = record.executors;
    assert.ok(EXITS.includes(end?.code) || end?.signal, `exit ${end?.code}: ${end?.stderr}`);
    assertDefiniteIsTrue(trial, before);
    assertSound([record]);
  }
}

const parameters = (t: TestContext, numRuns: number) => ({
  seed: seedOf(t),
  numRuns,
  interruptAfterTimeLimit: 120_000,
});

test('random programs of commands and faults break no invariant, and a recovery ends every doubt', async (t) => {
  const dir = tempDir(t);
  let count = 0;
  const programs = fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 8 }), (commands) =>
    withTrial(dir, count++, async (trial) => {
      await execute(trial, commands);
      for (const id of OPERATIONS) {
        const record = await trial.step({ label: 'recover', command: 'recover', args: { operation: id } });
        const effect = record.executors[0]?.reply?.effect;
        assert.ok(effect === 'unknown' || (effect === 'confirmed') === trial.effects(id) > 0);
      }
      assertSound(trial.records);
    }),
  );
  await fc.assert(programs, parameters(t, 20));
});

test('with records deleted, receipts spoilt or stores lost, the invariants notice', async (t) => {
  const dir = tempDir(t);
  let count = 0;
  const [id] = OPERATIONS as [string];
  const done = { command: 'run', operation: id, proposal: 'planned', value: true, approve: true } as const;
  const first = fc.constantFrom<FaultSpec | undefined>(
    undefined,
    { at: 'after-target' },
    { at: 'before-complete-commit', action: 'kill' },
    { at: 'after-complete', action: 'abort' },
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
      await execute(trial, [{ ...done, fault: at }, ...commands]);
      const record = await trial.step(spec);
      const noticed = record.invariants.filter((found) => found.result !== 'holds');
      assert.notEqual(noticed.length, 0, `${spec.command ?? spec.damage} went unnoticed`);
    }),
  );
  await fc.assert(programs, parameters(t, 12));
});
