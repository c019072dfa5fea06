import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type MatrixParams, matrixQuery, NEWEST, ONLY, parseMatrixParams } from './search-params.ts';

const read = (text: string) => Object.fromEntries(new URLSearchParams(text));

test('what a matrix page puts into its URL is what it reads from it', () => {
  const word = fc.option(fc.string({ minLength: 1 }), { nil: null });
  const params: fc.Arbitrary<MatrixParams> = fc.record(
    {
      sweep: word,
      layer: fc.constantFrom(1, 2, 3, null),
      only: fc.constantFrom(...ONLY, null),
      cell: word,
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(params, (given) => assert.deepEqual(parseMatrixParams(read(matrixQuery(given))), given)),
  );
});

test('a URL that no page wrote means the newest sweep, whole', () => {
  assert.deepEqual(parseMatrixParams({ layer: '9', only: 'maybe' }), NEWEST);
});
