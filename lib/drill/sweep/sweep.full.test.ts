import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Lab, Procedure } from '../../labs/contract.ts';
import { getLab } from '../../labs/registry.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { runScenario } from '../run.ts';
import { parseScenario } from '../scenario.ts';
import { evidenceDigest, MAX_ACTIONS } from './cell.ts';
import type { CellResult, SweepReport } from './model.ts';
import { cellScenario } from './scenario.ts';
import { runSweep } from './sweep.ts';

const receipt = getLab('receipt');
const one = (procedure: Partial<Procedure>): Lab => {
  const first = receipt.procedures[0] as Procedure;
  return { ...receipt, procedures: [{ ...first, ...procedure }] };
};
const cellsOf = (report: SweepReport): CellResult[] => report.layers.flatMap((layer) => layer.cells);
const small = { procedures: ['run'], ways: ['exit'] as const };

test('a shared beginning changes nothing: every cell comes out as if it had been run alone', async (t) => {
  const dir = tempDir(t);
  const shared = await runSweep(receipt, { dir: join(dir, 'shared'), procedures: ['run'] });
  const alone = await runSweep(receipt, { dir: join(dir, 'alone'), procedures: ['run'], share: false });
  const outcome = (report: SweepReport) => cellsOf(report).map(({ executors: _, ...cell }) => cell);
  assert.deepEqual(outcome(shared), outcome(alone));
  assert.ok(shared.executors.started < alone.executors.started);
  assert.equal(alone.executors.started, alone.executors.needed);
});

test('a cell is a scenario: read from a file it replays to equal evidence', async (t) => {
  const dir = tempDir(t);
  const report = await runSweep(receipt, { dir: join(dir, 'sweep'), ...small });
  const procedure = receipt.procedures[0] as Procedure;
  assert.ok(cellsOf(report).length >= 7);
  for (const [index, cell] of cellsOf(report).entries()) {
    const scenario = cellScenario(receipt, procedure, cell);
    const parsed = parseScenario(JSON.stringify(scenario));
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const run = await runScenario(receipt, parsed.scenario, { dir: join(dir, `replay-${index}`) });
    assert.equal(run.verdict, 'holds', `${cell.key}: ${run.reasons.join('; ')}`);
    assert.equal(evidenceDigest(run.records), cell.evidence, cell.key);
  }
});

test('with a safeguard off the boundaries that it hid appear by themselves', async (t) => {
  const dir = tempDir(t);
  const without = ['receipt-in-the-same-commit'];
  const sound = await runSweep(receipt, { dir: join(dir, 'sound'), ...small });
  const weak = await runSweep(receipt, { dir: join(dir, 'weak'), ...small, without });
  const places = (report: SweepReport) => cellsOf(report).map((cell) => cell.faults[0]?.at);
  assert.ok(!places(sound).includes('before-receipt-commit'));
  assert.ok(places(weak).includes('before-receipt-commit'));
  const between = cellsOf(weak).find((cell) => cell.faults[0]?.at === 'before-receipt-commit');
  assert.equal(between?.verdict, 'violated');
});

test('a baseline that does not come out as declared stops the sweep with a sentence', async (t) => {
  const steps = receipt.procedures[0]?.steps.map((step) =>
    step.label === 'run' ? { ...step, expect: { exit: 3 } } : step,
  );
  const report = await runSweep(one({ steps }), { dir: tempDir(t) });
  assert.match(report.stopped ?? '', /"run" does not come out as declared.*expected 3, got 0/);
  assert.equal(report.verdict, 'violated');
  assert.deepEqual(report.layers, []);
});

test('an operator who never comes to an end is a violation', async (t) => {
  const lab: Lab = { ...receipt, next: (_, now) => ({ command: 'inspect', args: {}, now }) };
  const report = await runSweep(lab, { dir: tempDir(t), ...small });
  assert.match(report.stopped ?? '', new RegExp(`after ${MAX_ACTIONS} actions`));
});

test('a violation that is declared and comes in no cell is a violation', async (t) => {
  const invariant = receipt.invariants[0]?.id as string;
  const report = await runSweep(one({ may: [invariant] }), { dir: tempDir(t), ...small });
  assert.equal(report.verdict, 'violated');
  assert.deepEqual(report.reasons, [`run declares that a cell violates ${invariant}, and none does`]);
});

test('a boundary that no process reaches is listed', async (t) => {
  const extra = { ...receipt.boundaries[0], name: 'before-nothing' } as Lab['boundaries'][number];
  const lab: Lab = { ...receipt, boundaries: [...receipt.boundaries, extra] };
  const report = await runSweep(lab, { dir: tempDir(t), ...small, depth: 2 });
  assert.deepEqual(report.neverReached.at(-1), { role: 'executor', at: 'before-nothing' });
  // Only the other procedure leaves anything to decide by a person.
  assert.ok(
    report.neverReached
      .slice(0, -1)
      .every(({ at }) => at.endsWith('decision') || at.endsWith('decision-commit')),
  );
});

test('a sweep that was cut short goes on from its recorded cells and runs none of them again', async (t) => {
  const dir = tempDir(t);
  const whole = await runSweep(receipt, { dir: join(dir, 'whole'), ...small, depth: 2 });
  const known = new Map<string, CellResult>();
  const stop = new AbortController();
  const cut = runSweep(receipt, {
    dir: join(dir, 'cut'),
    ...small,
    depth: 2,
    signal: stop.signal,
    onCell: (cell) => {
      known.set(cell.key, JSON.parse(JSON.stringify(cell)) as CellResult);
      if (known.size === 5) stop.abort(new Error('cut'));
    },
  });
  await assert.rejects(cut, /cut/);
  const recorded = [...known.keys()];
  const again: string[] = [];
  const rest = await runSweep(receipt, {
    dir: join(dir, 'rest'),
    ...small,
    depth: 2,
    known,
    onCell: (cell) => again.push(cell.key),
  });
  assert.deepEqual(
    again.filter((key) => recorded.includes(key)),
    [],
  );
  const outcome = (report: SweepReport) => cellsOf(report).map(({ executors: _, ...cell }) => cell);
  assert.deepEqual(outcome(rest), outcome(whole));
});

test('no more executors work at once than there are lanes', async (t) => {
  let now = 0;
  let most = 0;
  const gate = async () => {
    now += 1;
    most = Math.max(most, now);
    return () => {
      now -= 1;
    };
  };
  await runSweep(receipt, { dir: tempDir(t), ...small, lanes: 2, gate });
  assert.equal(now, 0);
  assert.equal(most, 2);
});

test('a procedure that leaves an executor held is refused, and nothing lives on', async (t) => {
  const steps = receipt.procedures[0]?.steps.map((step) =>
    step.label === 'run' ? { ...step, fault: { at: 'after-intent', action: 'hold' as const } } : step,
  );
  await assert.rejects(runSweep(one({ steps }), { dir: tempDir(t) }), /leaves an executor held/);
});
