/** Which requests the dashboard answers (docs/design.md, "Safety"). Pure: the proxy in front of every page asks it. */

export interface AskedRequest {
  method: string;
  host: string | null;
  origin: string | null;
  /** `Sec-Fetch-Site`, which a browser sends and a page cannot forge. */
  site: string | null;
}

export interface GuardSettings {
  /** The address that the server listens on. */
  bind: string;
  /** Further host names, from `DRILL_ALLOWED_HOSTS`. */
  allowed: readonly string[];
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const CHANGES_NOTHING = new Set(['GET', 'HEAD']);

function hostName(host: string): string | null {
  try {
    const url = new URL(`http://${host}/`);
    // Anything beyond name and port (a user, a path) is no Host header.
    return url.host === host.toLowerCase() || url.hostname === host.toLowerCase().replace(/:80$/, '')
      ? url.hostname
      : null;
  } catch {
    return null;
  }
}

const isAddress = (name: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(name) || name.startsWith('[');

/** A name that somebody else's DNS can point here is no host of ours; an address always is who it says. */
function knownHost(host: string, { bind, allowed }: GuardSettings): boolean {
  const name = hostName(host);
  if (name === null) return false;
  if (LOOPBACK.has(name) || allowed.includes(name)) return true;
  const loopbackOnly = LOOPBACK.has(bind) || bind === '::1';
  return !loopbackOnly && (name === bind.toLowerCase() || isAddress(name));
}

/**
 * @returns why a request is refused, in one sentence; null where it may go on
 */
export function refusal(request: AskedRequest, settings: GuardSettings): string | null {
  const { method, host, origin, site } = request;
  if (host === null || !knownHost(host, settings)) {
    return 'This server answers under its own address only. Open http://127.0.0.1 with its port, or name the host in DRILL_ALLOWED_HOSTS.';
  }
  if (CHANGES_NOTHING.has(method)) return null;
  const foreign = 'This request comes from another site and was refused; nothing was changed.';
  if (origin === null) return site === null || site === 'same-origin' || site === 'none' ? null : foreign;
  try {
    return new URL(origin).host === new URL(`http://${host}/`).host ? null : foreign;
  } catch {
    return foreign;
  }
}

/**
 * Next decodes an address in many places, and answers what cannot be decoded as if it were a fault of its own.
 *
 * @param url path and query, as the request has them
 * @returns why nothing can be meant by this address, in one sentence; null where something can
 */
export function unreadable(url: string): string | null {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return null;
  } catch {
    return 'This address has a percent sign that begins no character, so it names no page. Go to / for the scenarios.';
  }
}

/** Settings from the environment that the server was started with. */
export function guardSettings(env: Record<string, string | undefined>): GuardSettings {
  const allowed = (env.DRILL_ALLOWED_HOSTS ?? '').split(',').map((name) => name.trim().toLowerCase());
  return { bind: env.DRILL_BIND || '127.0.0.1', allowed: allowed.filter(Boolean) };
}

/**
 * The content security policy of a page: no inline script without this response's nonce. Inline style attributes
 * are allowed, since server-rendered components carry them.
 */
export function contentSecurityPolicy(nonce: string, development: boolean): string {
  const script = `'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`;
  return [
    "default-src 'self'",
    `script-src ${script}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
