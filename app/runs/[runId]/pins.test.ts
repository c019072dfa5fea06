import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepRecord } from '#lib/drill/model.ts';
import type { CommandSpec } from '#lib/labs/contract.ts';
import { choosePins, presets } from './pins.ts';

function step(label: string, command: string, signal: string | null = null): StepRecord {
  return {
    label,
    command,
    fault: { armed: [], fired: [] },
    executors: [{ signal, code: signal ? null : 0 }],
  } as unknown as StepRecord;
}

const steps = [
  step('init', 'init'),
  step('crashed', 'run', 'SIGKILL'),
  step('recovered', 'recover'),
  step('again', 'run'),
];
const commands = [{ name: 'recover', kind: 'recover' }] as CommandSpec[];

test('without pins After is the last step and Before the one ahead of it', () => {
  assert.deepEqual(choosePins(steps, { before: null, after: null }), { before: 2, after: 3 });
  assert.deepEqual(choosePins(steps.slice(0, 1), { before: null, after: null }), { before: null, after: 0 });
  assert.deepEqual(choosePins([], { before: 'init', after: null }), { before: null, after: null });
});

test('pins follow their labels, and a label that the run does not have means the default', () => {
  assert.deepEqual(choosePins(steps, { before: 'init', after: 'recovered' }), { before: 0, after: 2 });
  assert.deepEqual(choosePins(steps, { before: 'gone', after: 'recovered' }), { before: 1, after: 2 });
});

test('presets name crash, recovery and resubmission as far as the run has come', () => {
  assert.deepEqual(
    presets(steps, commands).map(({ id, before, after }) => [id, before, after]),
    [
      ['crash-recovery', 'crashed', 'recovered'],
      ['recovery-resubmission', 'recovered', 'again'],
      ['first-last', 'init', 'again'],
    ],
  );
  assert.deepEqual(presets(steps.slice(0, 1), commands), []);
});
