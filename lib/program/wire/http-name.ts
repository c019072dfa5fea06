/** Names of HTTP requests: method and path, with ids out of it and without the query. */
import type { Named } from './control.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const IDS = [
  // Numbers, dates and times.
  /^\d[\d\-_.:TZ]*$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^(?=.*\d)[0-9a-f]{8,}$/i,
  // `cus_9s6XKz`, `o-1`; not `api-v2`.
  /^[a-z]{1,20}[-_:.](?!v\d+$)(?=.*\d)[\w.:-]+$/i,
  // Any other long text with a digit in it.
  /^(?=.*\d)[\w.~=+-]{16,}$/,
  // Mail addresses.
  /@/,
];

function segment(text: string): string {
  let plain = text;
  try {
    plain = decodeURIComponent(text);
  } catch {
    // Not an encoded text: taken as it is.
  }
  return IDS.some((id) => id.test(plain)) ? ':id' : text;
}

/**
 * @param method of the request
 * @param url as in the request's first line
 * @returns `POST /charges/:id/refunds`, and whether it can write
 */
export function nameRequest(method: string, url: string): Named {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '') || '/';
  return { name: `${method} ${path.split('/').map(segment).join('/')}`, writes: !SAFE.has(method) };
}
