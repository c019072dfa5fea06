/** Every scenario of the lab comes out as it declares, and the same way every time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonicalJson } from '../../core/canonical.ts';
import { projectRoot } from '../../core/project-root.ts';
import type { StepRecord } from '../../drill/model.ts';
import { runScenario } from '../../drill/run.ts';
import { getScenario, scenariosOf } from '../../drill/scenario.ts';
import { whatFailed } from '../../testing/reasons.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { lab } from './manifest.ts';
import { RECEIVERS } from './terms.ts';
import { broken } from './testing/trial.ts';

test('every scenario holds', { concurrency: availableParallelism() }, async (t) => {
  const scenarios = scenariosOf('outbox');
  assert.ok(scenarios.length >= 16);
  await Promise.all(
    scenarios.map((scenario) =>
      t.test(scenario.id, async (inner) => {
        const run = await runScenario(lab, scenario, { dir: tempDir(inner) });
        assert.equal(run.verdict, 'holds', whatFailed(lab, run).join('\n'));
        assert.deepEqual(contradictions(run.records), []);
      }),
    ),
  );
});

/** Steps whose reply permits a retry although what survived does not: the page shows both, one above the other. */
function contradictions(records: readonly StepRecord[]): string[] {
  return records
    .filter((record, index) => {
      const permitted = record.executors.some(({ reply }) => reply?.retryable === true);
      return permitted && lab.assess(records.slice(0, index + 1)).decision === 'investigate';
    })
    .map(({ label }) => label);
}

test('a scenario without a race gives evidence that is equal to the byte, twice', async (t) => {
  const dir = tempDir(t);
  for (const id of ['outbox/stale-worker', 'outbox/receiver-restored']) {
    const texts: string[] = [];
    for (const time of ['first', 'second']) {
      const run = await runScenario(lab, getScenario(id), { dir: join(dir, id, time) });
      texts.push(canonicalJson(run.records.map((record) => record.evidence)));
    }
    assert.equal(texts[0], texts[1]);
  }
});

test('a counterexample breaks exactly what it declares, and its prediction is answered by the run', async (t) => {
  const scenario = getScenario('outbox/receipts-deleted');
  const run = await runScenario(lab, scenario, { dir: tempDir(t) });
  assert.deepEqual(broken(run.records), [...(scenario.violates ?? [])].sort());
  const undeclared = await runScenario(
    lab,
    { ...scenario, violates: [] },
    { dir: join(tempDir(t), 'again') },
  );
  assert.equal(undeclared.verdict, 'violated');
});

test('every scenario asks for a figure before the step that shows it', () => {
  for (const scenario of scenariosOf('outbox')) {
    assert.ok(
      scenario.steps.some((step) => step.predict),
      scenario.id,
    );
    assert.ok(scenario.checks.length > 0, scenario.id);
  }
});

test('every scenario, boundary, invariant, safeguard, damage and receiver is in the README', () => {
  const readme = readFileSync(join(projectRoot(), 'lib/labs/outbox/README.md'), 'utf8');
  const names = [
    ...scenariosOf('outbox').map(({ id }) => id.replace('outbox/', '')),
    ...lab.boundaries.map(({ name }) => name),
    ...lab.invariants.map(({ id }) => id),
    ...lab.safeguards.map(({ name }) => name),
    ...lab.damages.map(({ name }) => name),
    ...RECEIVERS,
  ];
  assert.deepEqual(
    names.filter((name) => !readme.includes(`\`${name}\``)),
    [],
  );
});
