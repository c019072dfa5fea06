import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { StepRecord } from '#lib/drill/model.ts';
import { byHand } from './by-hand.ts';

const HOSTILE = [
  'x; touch pwned; #',
  '$(touch pwned)',
  '`touch pwned`',
  "it's & gone",
  '>pwned',
  'a\nb',
  '"',
  '\\',
  '*',
  '~',
  '#x',
  '=ls',
  '!!',
  '{a,b}',
];

function record(changes: Partial<StepRecord>): StepRecord {
  return {
    label: 'ran',
    spec: { label: 'ran', command: 'run' },
    state: 'done',
    command: 'run',
    args: {},
    now: 0,
    without: [],
    executors: [],
    fault: { armed: [], fired: [] },
    trace: [],
    evidence: null,
    expectations: [],
    invariants: [],
    assessment: null,
    outcome: null,
    ...changes,
  };
}

/** The words that a shell makes of the line; a file that it redirects into is none of them. */
function words(line: string | null): string[] {
  assert.ok(line);
  const printed = line.replace(/^npm run --silent drill -- lab/, "printf '%s\\0'");
  const { stdout, status } = spawnSync('/bin/sh', ['-c', printed], { encoding: 'utf8', cwd: '/' });
  assert.equal(status, 0);
  return stdout.split('\0').slice(0, -1);
}

test('whatever stands in a record, a shell takes each of it as one word', () => {
  for (const text of HOSTILE) {
    const armed = [{ at: text, hit: 2, role: text, action: 'kill' as const }];
    const line = byHand(
      text,
      record({
        spec: { label: 'ran', command: text, args: { key: text } },
        args: { [text]: true, key: text, list: [text] },
        without: [text],
        fault: { armed, fired: [] },
      }),
    );
    const kebab = text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    assert.deepEqual(words(line), [
      text,
      text,
      '--dir',
      'DIR',
      '--fault',
      `${text}/${text}#2:kill`,
      '--without',
      text,
      `--${kebab}`,
      '--key',
      text,
      '--list',
      JSON.stringify([text]),
    ]);
  }
});

test('a saved value is its file, and only a name of one is; a reply goes into a quoted file', () => {
  const spec = { label: 'ran', command: 'run', args: { proposal: '$p', key: '$(id)' } };
  const line = byHand('receipt', record({ spec, args: { proposal: { a: 1 }, key: '$(id)' } }));
  assert.equal(line, "npm run --silent drill -- lab receipt run --dir DIR --proposal p.json --key '$(id)'");
  const empty = byHand('receipt', record({ args: { key: '' } }));
  assert.match(empty ?? '', / --key ''$/);
  const saving = byHand('receipt', record({ spec: { label: 'ran', command: 'plan', saves: "p'; id" } }));
  assert.match(saving ?? '', /DIR > 'p'\\''; id\.json'$/);
});

test('a value that is true is printed as its flag alone', () => {
  const line = byHand(
    'receipt',
    record({ args: { operation: 'x', value: true, approve: true, keys: false } }),
  );
  assert.ok(line?.endsWith('--operation x --value --approve --keys false'), line ?? '');
});
