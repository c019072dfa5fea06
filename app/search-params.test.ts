import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRunsParams, type RunsParams, runsQuery, VERDICTS } from './runs/search-params.ts';
import { type CatalogueParams, catalogueQuery, parseCatalogueParams } from './search-params.ts';

const read = (text: string) => Object.fromEntries(new URLSearchParams(text));
const word = fc.option(fc.string({ minLength: 1 }), { nil: null });

test('what the catalogue puts into its URL is what it reads from it', () => {
  const tried = fc.constantFrom('yes' as const, 'no' as const, null);
  const params: fc.Arbitrary<CatalogueParams> = fc.record(
    { boundary: word, tried },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(params, (given) =>
      assert.deepEqual(parseCatalogueParams(read(catalogueQuery(given))), given),
    ),
  );
});

test('what the list of runs puts into its URL is what it reads from it', () => {
  const params: fc.Arbitrary<RunsParams> = fc.record(
    {
      lab: word,
      scenario: word,
      verdict: fc.constantFrom(...VERDICTS, null),
      finished: fc.constantFrom(true, false, null),
      page: fc.integer({ min: 1, max: 10_000 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(params, (given) => assert.deepEqual(parseRunsParams(read(runsQuery(given))), given)));
});

test('a URL that no page wrote means no filter and the first page', () => {
  const params = parseRunsParams({
    verdict: 'fine',
    finished: 'maybe',
    page: '-3',
    lab: ['receipt', 'outbox'],
  });
  assert.deepEqual(params, { lab: 'receipt', scenario: null, verdict: null, finished: null, page: 1 });
  assert.deepEqual(parseCatalogueParams({ tried: 'perhaps' }), { boundary: null, tried: null });
});
