/** What holds for all scenarios of the lab besides their verdicts, which `e2e/every-scenario.test.ts` holds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '../../core/canonical.ts';
import { runScenario } from '../../drill/run.ts';
import { getScenario } from '../../drill/scenario.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { lab } from './manifest.ts';
import { scenarioIds } from './testing/trial.ts';

test('a script gives the same evidence to the byte every time: connections, chunks and killed servers included', async (t) => {
  for (const id of [
    'session/late-reply-on-a-new-connection',
    'session/client-killed-in-flight',
    'session/replies-out-of-order',
    'session/half-reply',
  ]) {
    const [first, second] = [
      await runScenario(lab, getScenario(id), { dir: tempDir(t) }),
      await runScenario(lab, getScenario(id), { dir: tempDir(t) }),
    ];
    const evidence = (run: typeof first) => canonicalJson(run.records.map((record) => record.evidence));
    assert.equal(evidence(first), evidence(second), id);
  }
});

test('every scenario has a prediction, and the playlist names scenarios that are there', () => {
  const ids = scenarioIds();
  for (const id of ids) {
    assert.ok(
      getScenario(id).steps.some((step) => step.predict),
      id,
    );
  }
  for (const { scenario } of lab.playlist) assert.ok(ids.includes(scenario), scenario);
});
