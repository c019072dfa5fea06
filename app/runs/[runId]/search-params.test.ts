import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DrillParams, drillQuery, parseDrillParams } from './search-params.ts';

const read = (text: string) => parseDrillParams(Object.fromEntries(new URLSearchParams(text)));

test('what a drill page puts into its URL is what it reads from it', () => {
  const label = fc.option(fc.string({ minLength: 1 }), { nil: null });
  const params = fc.record(
    {
      before: label,
      after: label,
      projector: fc.boolean(),
      questions: fc.boolean(),
    },
    { noNullPrototype: true },
  ) as fc.Arbitrary<DrillParams>;
  fc.assert(fc.property(params, (given) => assert.deepEqual(read(drillQuery(given)), given)));
});

test('a URL without anything pins nothing and asks its questions', () => {
  assert.equal(drillQuery({ before: null, after: null, projector: false, questions: true }), '');
  assert.deepEqual(read(''), { before: null, after: null, projector: false, questions: true });
});
