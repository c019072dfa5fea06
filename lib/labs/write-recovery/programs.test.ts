/**
 * Random programs of commands and faults: whatever order they come in, no invariant breaks, and the operator comes to
 * an end. Repeat a failure with DRILL_SEED.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../core/canonical.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { FaultSpec, StepSpec } from '../../drill/model.ts';
import { seedOf, tempDir } from '../../testing/temp-dir.ts';
import { makeApproval } from './approval.ts';
import { boundaries } from './boundaries.ts';
import { investigations } from './procedures.ts';
import { assertSound, INIT, Trial } from './testing/trial.ts';
import { DEFAULT_ACTION, DEFAULT_CONTEXT, VOID_TOOL } from './words.ts';

const wrong = { ...DEFAULT_ACTION, source: 'wrong-source', title: 'wrong title' };
const RUNS = ['run-good', 'run-wrong'] as const;
/** One task that can succeed, and one whose ticket will not be what was expected. */
const CONTRACTS = {
  'run-good': { action: { ...DEFAULT_ACTION }, budget: 2 },
  'run-wrong': { action: wrong, expected: { ...DEFAULT_ACTION }, budget: 1 },
};

const faultAt = (places: string[]): fc.Arbitrary<FaultSpec | undefined> =>
  fc.option(fc.record({ at: fc.constantFrom(...places), action: fc.constantFrom('exit', 'kill', 'abort') }), {
    nil: undefined,
    freq: 2,
  });
const places = boundaries.map(({ name }) => name);
const isVoid = (name: string): boolean => /compensation|void/.test(name);

const run = fc.constantFrom(...RUNS);
const approval = fc.constantFrom('right', 'right', 'right', 'none', "another run's", 'older');
const allowed = fc.constantFrom(true, true, true, true, false);
const ticks = fc.constantFrom(0, 0, 1, 2);
const act = fc.record({
  command: fc.constant('run' as const),
  run,
  approval,
  allowed,
  ticks,
  cancel: fc.constantFrom(false, false, false, true),
  changed: fc.constantFrom(false, false, false, false, true),
  fault: faultAt(places.filter((name) => !isVoid(name))),
});
const compensate = fc.record({
  command: fc.constant('compensate' as const),
  run,
  approval,
  allowed,
  ticks,
  fault: faultAt(places.filter(isVoid)),
});
const take = fc.record({ command: fc.constant('take' as const), run, ticks });
const taken = fc.record({ command: fc.constant('taken' as const), run, ticks });
const command = fc.oneof(
  { weight: 6, arbitrary: act },
  { weight: 2, arbitrary: compensate },
  { weight: 1, arbitrary: take },
  { weight: 1, arbitrary: taken },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

function approvalOf(one: { approval: string; run: (typeof RUNS)[number] }, tool: string): Json {
  if (one.approval === 'none') return null;
  const context = { ...DEFAULT_CONTEXT, policyVersion: one.approval === 'older' ? 0 : 1 };
  const name = one.approval === "another run's" ? 'run-of-another' : one.run;
  return makeApproval(context, name, { ...CONTRACTS[one.run].action, tool });
}

function argsOf(one: Command): JsonObject {
  if (one.command === 'take') return { ticket: 1 };
  // Without keys nobody can tell an equal ticket of another client from ours; this one has other content.
  if (one.command === 'taken') {
    return { key: `${one.run}:ticket`, action: { ...DEFAULT_ACTION, title: 'of another client' } };
  }
  const context = { ...DEFAULT_CONTEXT, allowed: one.allowed };
  if (one.command === 'compensate') return { context, run: one.run, approval: approvalOf(one, VOID_TOOL) };
  const contract = CONTRACTS[one.run];
  const { cancel, changed } = one;
  const budget = changed ? 100 : contract.budget;
  const given = approvalOf(one, DEFAULT_ACTION.tool);
  return { ...contract, budget, context, run: one.run, approval: given, cancel };
}

function asStep(one: Command, now: number): StepSpec {
  const name = one.command === 'taken' ? 'create' : one.command;
  const fault = 'fault' in one && one.fault ? { fault: one.fault } : {};
  return { label: one.command, command: name, args: argsOf(one), now, ...fault };
}

const serviceOf = (trial: Trial): string => canonicalJson([trial.rows('target'), trial.rows('receipts')]);

/** Every command in turn; a call that says it certainly changed nothing has left the service as it was. */
async function execute(trial: Trial, commands: readonly Command[]): Promise<void> {
  let now = 0;
  for (const one of commands) {
    now += one.ticks;
    const before = serviceOf(trial);
    const record = await trial.step(asStep(one, now));
    const [end] = record.executors;
    assert.ok([0, 2, 3, 86].includes(Number(end?.code)) || end?.signal, `exit ${end?.code}: ${end?.stderr}`);
    if (end?.reply?.definite === true) assert.equal(serviceOf(trial), before);
    assertSound([record]);
  }
}

/** What is over says so in the record, what is in doubt is left to a person, and no more than one ticket of each run is at the service. */
async function assertSettles(trial: Trial): Promise<void> {
  for (const name of RUNS) {
    await trial.step({ label: 'lookup', command: 'lookup', args: { run: name } });
    await trial.settle();
    const state = trial.cell(`team-a/${name}:ticket`, 'state');
    const open = ['dispatching', 'verifying', 'reconcile_required', 'created'];
    // What nobody can decide from the evidence is left to a person, and is listed as such.
    const doubt = trial.cell(`team-a/${name}:ticket`, 'doubt') != null;
    const listed = investigations(trial.records).some(
      ({ operation }) => operation === `team-a/${name}:ticket`,
    );
    assert.equal(doubt ? listed : !open.includes(String(state)), true, `${name} ends ${state}`);
    const made = trial.evidence.truth.filter(({ operation }) => operation === `team-a/${name}:ticket`);
    assert.ok(made.length <= 1, `${made.length} tickets of ${name}`);
  }
  assertSound(trial.records);
}

test('random programs of commands and faults break no invariant, and the operator comes to an end', async (t) => {
  const dir = tempDir(t);
  let count = 0;
  const program = fc.tuple(
    fc.record({ lag: fc.constantFrom(0, 2), keys: fc.constantFrom(true, true, false) }),
    fc.array(command, { minLength: 3, maxLength: 7 }),
  );
  const property = fc.asyncProperty(program, async ([published, commands]) => {
    const trial = new Trial(join(dir, String(count++)));
    try {
      await trial.step({ ...INIT, args: published });
      await execute(trial, commands);
      await assertSettles(trial);
    } finally {
      await trial.dispose();
    }
  });
  await fc.assert(property, { seed: seedOf(t), numRuns: 10, interruptAfterTimeLimit: 45_000 });
});
