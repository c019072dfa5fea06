/** With everything on, nothing comes out otherwise than declared; each rule that is off is noticed by a statement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getScenario } from '../../drill/scenario.ts';
import { lab } from './manifest.ts';
import { scenarioIds } from './testing/trial.ts';
import { MECHANISMS } from './words.ts';

test('each mechanism has a counterexample of its own that names the statement it keeps', () => {
  const counterexamples = scenarioIds()
    .map(getScenario)
    .filter((scenario) => (scenario.violates?.length ?? 0) > 0);
  for (const mechanism of MECHANISMS) {
    const own = counterexamples.filter(({ without }) => without?.length === 1 && without[0] === mechanism);
    assert.ok(own.length > 0, mechanism);
  }
});

test('the manifest declares every mechanism that a command asks about, and no other', () => {
  assert.deepEqual(
    lab.mechanisms.map(({ name }) => name),
    [...MECHANISMS],
  );
});
