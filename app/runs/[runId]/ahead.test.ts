import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepRecord } from '#lib/drill/model.ts';
import { getScenario } from '#lib/drill/scenario.ts';
import { stepsAhead } from './ahead.ts';

const at = (
  id: string,
  done: number,
  running: { seq: number; label: string; waiting: boolean } | null = null,
) => {
  const scenario = getScenario(id);
  return { scenario, steps: scenario.steps.slice(0, done) as unknown as StepRecord[], running };
};

test('while a question is to come, steps ahead have number, command and boundary, and no label', () => {
  const ahead = stepsAhead(at('receipt/lost-ack', 2), true);
  assert.deepEqual(
    ahead.map(({ number, label, verb, stops }) => [number, label, verb, stops]),
    [
      [3, null, 'run', ['after-target']],
      [4, null, 'recover', []],
      [5, null, 'run', []],
    ],
  );
});

test('a release of a step that is itself to come does not name that step', () => {
  const verbs = (done: number) => stepsAhead(at('outbox/stale-worker', done), true).map(({ verb }) => verb);
  assert.equal(verbs(2).at(-1), 'release');
  assert.equal(verbs(3).at(-1), 'release first');
});

test('without questions every step ahead has its label, and so has the one at work in free play', () => {
  const labels = (asking: boolean, done: number) =>
    stepsAhead(at('receipt/lost-ack', done), asking).map(({ label }) => label);
  assert.deepEqual(labels(false, 2), ['crashed', 'recovered', 'again']);
  const free = { scenario: null, steps: [], running: { seq: 1, label: 'init', waiting: false } };
  assert.deepEqual(
    stepsAhead(free, true).map(({ label, working }) => [label, working]),
    [['init', true]],
  );
});
