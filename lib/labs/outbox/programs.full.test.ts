/** Random programs of commands, faults and clocks keep every invariant; damage does not go unnoticed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FaultSpec, StepRecord, StepSpec } from '../../drill/model.ts';
import { seedOf, tempDir } from '../../testing/temp-dir.ts';
import { lab } from './manifest.ts';
import { intentId, RECEIVERS } from './terms.ts';
import { assertAnswer, broken, Trial } from './testing/trial.ts';

const key = fc.constantFrom('op-1', '-x');
const mode = fc.constantFrom('idempotent', 'external');
const places: FaultSpec[] = lab.boundaries
  .filter(({ onlyWithout }) => !onlyWithout)
  .map(({ name, role }) => ({ at: name, role }));
const fault = fc
  .record({ place: fc.constantFrom(...places), way: fc.constantFrom('exit', 'kill', 'abort') })
  .map(({ place, way }): FaultSpec => ({ ...place, action: way as 'exit' | 'kill' | 'abort' }));
const receiver = fc.constantFrom(...RECEIVERS.filter((name) => name !== 'never-ends'));

type Line = Omit<StepSpec, 'label'>;
const enqueue = fc.record({ key, mode }).map((args): Line => ({ command: 'enqueue', args }));
const claim = key.map((name): Line => ({ command: 'claim', args: { key: name } }));
const dispatch = fc
  .record({ key, receiver: fc.option(receiver, { nil: 'honest' }) })
  .map((args): Line => ({ command: 'dispatch', args }));
const line = fc
  .tuple(
    fc.oneof(
      { weight: 2, arbitrary: enqueue },
      { weight: 4, arbitrary: dispatch },
      { weight: 1, arbitrary: claim },
    ),
    fc.option(fault, { nil: undefined }),
    fc.nat(12),
  )
  .map(([command, at, ticks]) => ({ ...command, ...(at ? { fault: at } : {}), ticks }));

test('no program of enqueue, claim and dispatch with crashes anywhere breaks a invariant of the sound modes', async (t) => {
  const dir = tempDir(t);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 3, maxLength: 9 }), async (program) => {
      const run = new Trial(join(dir, String(count++)));
      try {
        await run.run('init');
        let now = 0;
        for (const { ticks, ...spec } of program) {
          now += ticks;
          await run.step({ ...spec, now });
        }
        const details = run.records.flatMap((record) =>
          record.invariants.filter((i) => i.result !== 'holds'),
        );
        assert.deepEqual(details, []);
        for (let seen = 1; seen <= run.records.length; seen++) assertTrue(run.records.slice(0, seen));
      } finally {
        await run.session.dispose();
      }
    }),
    { seed: seedOf(t), numRuns: 12, endOnFailure: true },
  );
});

test('after any crash of any mode the operator reaches a state in which nothing more is to be done', async (t) => {
  const dir = tempDir(t);
  let count = 0;
  const procedure = fc.constantFrom(...lab.procedures);
  await fc.assert(
    fc.asyncProperty(
      procedure,
      fault,
      fc.constantFrom('enqueue', 'dispatch'),
      async ({ steps, may }, at, where) => {
        const run = new Trial(join(dir, String(count++)));
        try {
          for (const step of steps) await run.step(step.label === where ? { ...step, fault: at } : step);
          let turns = 0;
          for (let action = nextOf(run); action; action = nextOf(run)) {
            assert.ok(++turns <= 4, 'the operator goes round in circles');
            await run.run(action.command, action.args, { now: action.now });
          }
          assert.deepEqual(
            broken(run.records).filter((id) => !may.includes(id)),
            [],
          );
        } finally {
          await run.session.dispose();
        }
      },
    ),
    { seed: seedOf(t), numRuns: 12, endOnFailure: true },
  );
});

/** What an operator reads may be unknown; where it is not, it agrees with the ground truth. */
function assertTrue(history: readonly StepRecord[]): void {
  const last = history.at(-1);
  const { effect } = lab.assess(history);
  const changes =
    last?.evidence?.truth.filter(({ operation }) => operation === subjectOf(history)).length ?? 0;
  if (effect === 'confirmed') assert.ok(changes > 0, 'confirmed, and no ticket');
  if (effect === 'absent') assert.equal(changes, 0, 'absent, and a ticket');
}

function subjectOf(history: readonly StepRecord[]): string {
  const rows = history.at(-1)?.evidence?.panels[0].rows ?? [];
  const asked = history.findLast((record) => typeof record.args.key === 'string')?.args.key;
  const row = rows.find((candidate) => candidate.key === asked) ?? rows[0];
  return intentId(String(row?.cells.caller), String(row?.key));
}

function nextOf(run: Trial) {
  const last = run.records.at(-1);
  return lab.next({ ...run.evidence, truth: [] }, last?.now ?? 0, {}, run.records);
}

test('every damage of a finished run is noticed by a invariant', async (t) => {
  const dir = tempDir(t);
  for (const { name } of lab.damages) {
    const run = new Trial(join(dir, name));
    await run.run('init', {}, { label: 'init' });
    await run.run('enqueue');
    assertAnswer(await run.run('dispatch'), 0, { status: 'done' });
    await run.step({ damage: name, from: 'init' });
    assert.notDeepEqual(broken(run.records), [], name);
    await run.session.dispose();
  }
});
