/** What holds for all scenarios of the lab besides their verdicts, which `e2e/every-scenario.test.ts` holds. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonicalJson } from '../../core/canonical.ts';
import { getScenario } from '../../drill/scenario.ts';
import { lab } from './manifest.ts';
import { scenario } from './testing/trial.ts';

const NAMES = readdirSync(join(import.meta.dirname, 'scenarios')).map((file) => file.replace('.yaml', ''));

test('a script gives the same evidence to the byte every time, held and released workers included', async (t) => {
  for (const name of ['two-executors', 'cancel-beside-live-worker', 'lag-no-keys', 'compensation-fails']) {
    const [first, second] = [await scenario(t, name), await scenario(t, name)];
    const evidence = (run: typeof first) => canonicalJson(run.records.map((record) => record.evidence));
    assert.equal(evidence(first), evidence(second), name);
  }
});

test('every scenario asks for a prediction, and the playlist names scenarios that are there', () => {
  for (const name of NAMES) {
    assert.ok(
      getScenario(`write-recovery/${name}`).steps.some((step) => step.predict),
      name,
    );
  }
  for (const { scenario: id } of lab.playlist) assert.ok(NAMES.includes(id.split('/')[1] ?? ''), id);
});
