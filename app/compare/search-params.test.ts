import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beyondColumns, compareQuery, parseCompareParams } from './search-params.ts';

test('what the URL of a comparison says is read back as it was written', () => {
  for (const params of [
    { runs: [], step: null },
    { runs: ['r1', 'r2'], step: null },
    { runs: ['r1', 'r2', 'r3', 'r4'], step: 'crashed' },
  ]) {
    const written = Object.fromEntries(new URLSearchParams(compareQuery(params)));
    assert.deepEqual(parseCompareParams(written), params);
  }
});

test('a parameter that came twice counts once, an empty one not at all', () => {
  assert.deepEqual(parseCompareParams({ a: ['x', 'y'], b: '', c: 'z', step: '' }), {
    runs: ['x', 'z'],
    step: null,
  });
});

test('a fifth run is counted, so that the page can say that it has no column', () => {
  assert.equal(beyondColumns({ a: '1', b: '2', c: '3', d: '4' }), 0);
  assert.equal(beyondColumns({ a: '1', e: '5', f: '', g: ['7', '8'] }), 2);
});
