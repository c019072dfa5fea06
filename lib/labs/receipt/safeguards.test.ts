/** A rule that nobody misses is none: with any safeguard off, a scenario comes out otherwise than declared. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runScenario } from '../../drill/run.ts';
import { getScenario } from '../../drill/scenario.ts';
import { whatFailed } from '../../testing/reasons.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { lab } from './manifest.ts';

/** For each safeguard a scenario that notices, and a word of what it says then. */
const NOTICED: Record<string, [scenario: string, reason: RegExp]> = {
  'intent-first': ['lost-ack', /receipt-unique-with-digest/],
  'receipt-in-the-same-commit': ['lost-ack', /every-change-accounted/],
  'version-check': ['stale-version', /effect-from-reviewed-version/],
  'receipt-before-retry': ['lost-ack', /recovery-says-true/],
  'digest-conflict': ['changed-payload', /receipt-unique-with-digest/],
  'ownership-needs-receipt': ['ownership-unknown', /recovery-says-true/],
  'uncertain-stays': ['ownership-unknown', /final-status-stays/],
  review: ['not-approved', /expected 3, got 0/],
};

test('every safeguard of the manifest has its scenario here', () => {
  assert.deepEqual(lab.safeguards.map((safeguard) => safeguard.name).sort(), Object.keys(NOTICED).sort());
});

for (const [safeguard, [name, reason]] of Object.entries(NOTICED)) {
  test(`without ${safeguard}, ${name} comes out otherwise than declared`, async (t) => {
    const dir = tempDir(t);
    const scenario = getScenario(`receipt/${name}`);
    const sound = await runScenario(lab, scenario, { dir: join(dir, 'with') });
    assert.equal(sound.verdict, 'holds', whatFailed(lab, sound).join('\n'));
    const weakened = await runScenario(lab, scenario, { dir: join(dir, 'without'), without: [safeguard] });
    assert.equal(weakened.verdict, 'violated');
    assert.match(whatFailed(lab, weakened).join('\n'), reason);
  });
}

test('defences overlap: with version-check and receipt-before-retry both off, the effect happens twice', async (t) => {
  const dir = tempDir(t);
  const scenario = getScenario('receipt/before-complete');
  const effects = async (...without: string[]) => {
    const run = await runScenario(lab, scenario, { dir: join(dir, without.join('-')), without });
    return run.records.at(-1)?.evidence?.truth.length;
  };
  assert.equal(await effects('version-check'), 1);
  assert.equal(await effects('receipt-before-retry'), 1);
  assert.equal(await effects('version-check', 'receipt-before-retry'), 2);
});
