import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlayAction, PlayModel } from './free-play-model.ts';
import { buildStep } from './play-step.ts';

const field = (name: string, kind: 'json' | 'number' | 'boolean' | 'text') => ({
  name,
  kind,
  required: false,
  description: '',
  options: [],
  fallback: undefined,
  start: '',
});
const run: PlayAction = {
  id: 'command:run',
  verb: 'command',
  name: 'run',
  summary: '',
  kind: 'act',
  fields: [field('proposal', 'json'), field('approve', 'boolean'), field('limit', 'number')],
  saves: null,
  needsFrom: false,
};
const model: PlayModel = {
  run: 'r',
  seq: 3,
  actions: [run],
  boundaries: [{ id: 'receiver/after-target', at: 'after-target', role: 'receiver', lock: 'free' }],
  copies: ['init'],
  saved: ['proposal'],
  now: 4,
};

function form(values: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
}

test('fields become the step that a scenario file would write', () => {
  const values = {
    'arg:proposal': '$proposal',
    'arg:approve': 'true',
    at: 'receiver/after-target',
    action: 'kill',
    now: '9',
  };
  assert.deepEqual(buildStep(model, run, form(values)), {
    step: {
      command: 'run',
      args: { proposal: '$proposal', approve: true },
      now: 9,
      fault: { at: 'after-target', role: 'receiver', hit: 1, action: 'kill' },
    },
  });
});

test('what is left empty is left out, and JSON arrives as JSON', () => {
  assert.deepEqual(buildStep(model, run, form({ 'arg:proposal': '{"a":[1]}', 'arg:limit': '2', now: '4' })), {
    step: { command: 'run', args: { proposal: { a: [1] }, limit: 2 } },
  });
});

test('a field that cannot be read is named, and no step is made of it', () => {
  assert.deepEqual(buildStep(model, run, form({ 'arg:proposal': '{' })), {
    wrong: 'json',
    field: 'proposal',
  });
  assert.deepEqual(buildStep(model, run, form({ 'arg:limit': 'two' })), { wrong: 'number', field: 'limit' });
});

test('a damage names its copy, and a held step is released or killed', () => {
  const damage: PlayAction = { ...run, verb: 'damage', name: 'restore-copy', fields: [], needsFrom: true };
  assert.deepEqual(buildStep(model, damage, form({ from: 'init' })), {
    step: { damage: 'restore-copy', from: 'init' },
  });
  const kill: PlayAction = { ...run, verb: 'kill', name: 'late', fields: [] };
  assert.deepEqual(buildStep(model, kill, form({})), { step: { release: 'late', action: 'kill' } });
});
