import type { Json } from './json.ts';

/**
 * Canonical JSON: keys sorted, no spaces, non-ASCII kept.
 *
 * @param value a JSON value; `undefined` members are left out, as JSON.stringify does
 * @returns the one text that equal values share
 * @throws TypeError on NaN, an infinity, or anything JSON cannot carry
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no NaN and no infinity');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`canonical JSON cannot carry a ${typeof value}`);
}

/** SHA-256, in lower-case hex, of the UTF-8 bytes of the canonical JSON of a value. */
export function digest(value: Json): string {
  // Loaded at the first digest: it is a fifth of an executor's start, and most commands need none.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
}
