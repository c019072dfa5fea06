import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seedOf } from '../testing/temp-dir.ts';
import { canonicalJson, digest } from './canonical.ts';
import type { Json } from './json.ts';

test('keys are sorted, there are no spaces, non-ASCII is kept', () => {
  assert.equal(canonicalJson({ b: 1, a: ['核', true, null] }), '{"a":["核",true,null],"b":1}');
});

test('the digest is SHA-256 over the UTF-8 bytes of the canonical text', () => {
  assert.equal(digest({}), '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

test('what JSON cannot carry is refused', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1]) {
    assert.throws(() => canonicalJson(value), TypeError);
  }
});

test('the order in which members were written never matters, and the text reads back as the same value', (t) => {
  const seed = seedOf(t);
  const reversed = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(reversed);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([k, v]) => [k, reversed(v)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as Json;
      assert.equal(canonicalJson(json), canonicalJson(reversed(json)));
      assert.deepEqual(JSON.parse(canonicalJson(json)), json);
    }),
    { seed, numRuns: 300 },
  );
});
