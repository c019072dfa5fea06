/** With everything on, nothing comes out otherwise than declared; each rule that is off is noticed by a invariant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getScenario } from '../../drill/scenario.ts';
import { lab } from './manifest.ts';
import { scenarioIds } from './testing/trial.ts';
import { SAFEGUARDS } from './words.ts';

test('each safeguard has a counterexample of its own that names the invariant it keeps', () => {
  const counterexamples = scenarioIds()
    .map(getScenario)
    .filter((scenario) => (scenario.violates?.length ?? 0) > 0);
  for (const safeguard of SAFEGUARDS) {
    const own = counterexamples.filter(({ without }) => without?.length === 1 && without[0] === safeguard);
    assert.ok(own.length > 0, safeguard);
  }
});

test('the manifest declares every safeguard that a command asks about, and no other', () => {
  assert.deepEqual(
    lab.safeguards.map(({ name }) => name),
    [...SAFEGUARDS],
  );
});
