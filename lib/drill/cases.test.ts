/**
 * Seven shapes from public bug reports of other software. Each once came out with a wrong verdict or a wrong decision;
 * here is what is right.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getLab } from '../labs/registry.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { runScenario } from './run.ts';
import { parseScenario } from './scenario.ts';

interface Right {
  verdict: 'holds' | 'violated';
  /** Invariants that the evidence violates, declared or not. */
  violated: string[];
  /** Exit code and decision of a step. */
  says?: Record<string, [exit: number, decision: string | undefined]>;
}

const RIGHT: Record<string, Right> = {
  // A worker whose lease is over turns `done` into `blocked` and loses the stored response.
  'stale-worker-unfenced': { verdict: 'violated', violated: ['final-states-stay'] },
  // Nothing was dispatched; another client's equal ticket lies under the key.
  'equal-ticket-of-another': {
    verdict: 'holds',
    violated: [],
    says: { ours: [2, 'investigate'], undo: [3, undefined] },
  },
  // Without keys the second run finds the ticket of the first, and must not void it.
  'void-of-anothers-ticket': {
    verdict: 'holds',
    violated: [],
    says: { loser: [2, 'investigate'], refund: [3, undefined] },
  },
  // The released worker made a ticket that the record does not hold.
  'lease-began-in-the-buffer': {
    verdict: 'violated',
    violated: ['one-effect-per-intent', 'done-means-one-effect'],
    says: { 'replica-1': [2, 'investigate'] },
  },
  // The last reply must not hide that two effects may exist.
  'client-retries-by-itself': {
    verdict: 'violated',
    violated: ['one-effect-per-intent', 'done-means-one-effect'],
    says: { 'sdk-retry': [2, 'investigate'] },
  },
  // The retry takes the operation's own receipt for somebody else's; recover ends the doubt.
  'conflict-with-own-row': {
    verdict: 'violated',
    violated: ['no-doubt-beside-proof'],
    says: { asked: [0, 'reconcile'] },
  },
  // Declared, and so it holds; the reasons name the violation with its figures.
  'error-after-the-effect': { verdict: 'holds', violated: ['one-effect-per-intent'] },
};

for (const [name, right] of Object.entries(RIGHT)) {
  test(`${name}: ${right.verdict}${right.violated.length > 0 ? `, ${right.violated.join(', ')} violated` : ''}`, async (t) => {
    const file = join(import.meta.dirname, '..', 'testing', 'cases', `${name}.yaml`);
    const parsed = parseScenario(readFileSync(file, 'utf8'));
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const { scenario } = parsed;
    const run = await runScenario(getLab(scenario.lab), scenario, { dir: tempDir(t) });
    assert.equal(run.verdict, right.verdict);
    const violated = run.invariants.filter(({ result }) => result === 'violated').map(({ id }) => id);
    assert.deepEqual(violated.sort(), [...right.violated].sort());
    const named = run.reasons.flatMap((reason) => ('invariant' in reason ? [reason.invariant] : []));
    for (const id of right.violated) assert.ok(named.includes(id), `${id} is among the reasons`);
    for (const [label, [exit, decision]] of Object.entries(right.says ?? {})) {
      const end = run.records.find((record) => record.label === label)?.executors[0];
      assert.deepEqual([end?.code, end?.reply?.decision], [exit, decision], label);
    }
  });
}
