/** Bounds and names: what an intent is, and what it is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, digest } from '../../core/canonical.ts';
import { seedOf } from '../../testing/temp-dir.ts';
import {
  clockFault,
  DEFAULT_PAYLOAD,
  intentId,
  MAX_CLOCK,
  nameFault,
  payloadFault,
  storedPayloadFault,
} from './terms.ts';

const wellFormed = (options: { minLength?: number; maxLength?: number }) =>
  fc.string({ ...options, unit: 'grapheme' }).filter((text) => text.isWellFormed());

test('the synthetic ticket has the published hash', () => {
  assert.equal(digest(DEFAULT_PAYLOAD), '6d22889f013153bbe59ad279227a8ed1e6dc194fc29c408aad0e661ea47909f8');
});

test('a payload is exactly a title and a body, non-empty text of at most 2,000 characters', () => {
  const good = { title: 'a', body: 'x'.repeat(2_000) };
  assert.equal(payloadFault(good), null);
  assert.equal(payloadFault({ ...good, body: '\u{1F3AB}'.repeat(2_000) }), null);
  const bad: unknown[] = [
    { ...good, body: 'x'.repeat(2_001) },
    { ...good, body: '\u{1F3AB}'.repeat(2_001) },
    { ...good, body: '' },
    { ...good, body: 1 },
    { ...good, body: Number.NaN },
    { ...good, title: null },
    { ...good, body: '\ud800' },
    { ...good, note: 'x' },
    { title: 'a' },
    [],
    null,
    'text',
  ];
  for (const value of bad) assert.notEqual(payloadFault(value), null, JSON.stringify(value));
});

test('a caller and a key have 1 to 128 characters, and may begin with a hyphen', () => {
  for (const name of ['a', '-x', '--dir', 'x'.repeat(128), '核验']) assert.equal(nameFault(name), null);
  for (const name of ['', 'x'.repeat(129), 1, null, '\udfff']) assert.notEqual(nameFault(name), null);
});

test('the clock is a whole number of ticks, not negative, and leaves room for a lease', () => {
  for (const now of [0, 1, MAX_CLOCK]) assert.equal(clockFault(now), null);
  for (const now of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1', MAX_CLOCK + 1]) {
    assert.notEqual(clockFault(now), null);
  }
});

test('two intents have one name only where caller and key are both the same', (t) => {
  const name = wellFormed({ minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(name, name, name, name, (a, b, c, d) => {
      assert.equal(intentId(a, b) === intentId(c, d), a === c && b === d);
    }),
    { seed: seedOf(t) },
  );
  assert.notEqual(intentId('a/b', 'c'), intentId('a', 'b/c'));
});

test('a stored payload passes its check exactly where it is the canonical text that was hashed', (t) => {
  const text = wellFormed({ minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(text, text, text, (title, body, other) => {
      const stored = canonicalJson({ title, body });
      const hash = digest({ title, body });
      assert.equal(storedPayloadFault(stored, hash), null);
      assert.equal(storedPayloadFault(canonicalJson({ title, body: other }), hash) === null, other === body);
      assert.notEqual(storedPayloadFault(JSON.stringify({ title, body }, null, 1), hash), null);
    }),
    { seed: seedOf(t) },
  );
});
