import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getLab } from '#lib/labs/registry.ts';
import { inWords } from './reasons.ts';

const { invariants } = getLab('receipt');

test('a reason names a invariant by its words, and is left alone where it names none', () => {
  assert.deepEqual(
    inWords(
      [
        'one-effect-one-intent is unknown since overwritten: the file is no database',
        'declared as violated, but it came out holds: integrity',
        'step crashed, exit: 86 expected, integrity is another matter',
      ],
      invariants,
      'en',
    ),
    [
      '“One effect for one intent” is unknown since overwritten: the file is no database',
      'declared as violated, but it came out holds: “Both integrity checks pass”',
      'step crashed, exit: 86 expected, integrity is another matter',
    ],
  );
});
