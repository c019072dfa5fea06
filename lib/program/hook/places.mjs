/** From what a program does to the names of the boundaries before and after it. */
import { pass, point } from './control.mjs';
import { fingerprint } from './statement.mjs';

/** Texts with literals in them never repeat: a cache of them is emptied, not grown. */
const CACHED = 5000;
const LONGEST_CACHED = 20_000;

/** `*` stands for any characters, `?` for one. */
function globs(text) {
  const list = text ? JSON.parse(text) : [];
  return list.map((glob) => {
    const pattern = glob
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${pattern}$`, 's');
  });
}

const included = globs(process.env.DRILL_INCLUDE);
const excluded = globs(process.env.DRILL_EXCLUDE);

function side(name, writes) {
  const matches = (pattern) => pattern.test(name);
  const counts = included.some(matches) || (writes && !excluded.some(matches));
  return counts ? point(name) : undefined;
}

const places = new Map();

/**
 * The two boundaries of an operation; undefined where it has none.
 *
 * @param {string} kind `pg`, `sqlite`, `redis`, `http`, `spawn` or `fs`
 * @param {string} what the fingerprint
 * @param {boolean} [writes] false: a boundary only where DRILL_INCLUDE names it
 */
export function place(kind, what, writes = true) {
  const name = `${kind} ${what}`;
  const key = writes ? name : `${name}\n`;
  let found = places.get(key);
  if (found === undefined && !places.has(key)) {
    const before = side(`${name} before`, writes);
    const after = side(`${name} after`, writes);
    if (before || after) found = { before, after };
    if (places.size >= CACHED) places.clear();
    places.set(key, found);
  }
  return found;
}

const texts = { pg: new Map(), sqlite: new Map() };

/**
 * @param {'pg' | 'sqlite'} kind
 * @param {unknown} sql
 */
export function sqlPlace(kind, sql) {
  if (typeof sql !== 'string') return undefined;
  const known = texts[kind];
  let found = known.get(sql);
  if (found === undefined && !known.has(sql)) {
    const { name, writes } = fingerprint(sql);
    found = place(kind, name, writes);
    if (known.size >= CACHED) known.clear();
    if (sql.length <= LONGEST_CACHED) known.set(sql, found);
  }
  return found;
}

/** Numbers, UUIDs, hashes and anything else that looks generated. */
function isId(segment) {
  return (
    /^\d+$/.test(segment) ||
    /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(segment) ||
    /^(?=.*\d)[0-9a-f]{12,}$/i.test(segment) ||
    /\d{3,}/.test(segment) ||
    /^(?!v\d+$)[A-Za-z]*[-_.~]\d+$/.test(segment) ||
    (/^(?=.*\d)[\w.~%-]{10,}$/.test(segment) && /\d.*\d/.test(segment))
  );
}

/** A request's path without its query; `:id` for segments that are ids. */
export function httpName(method, path) {
  const segments = path
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .split(/[?#]/)[0]
    .split('/');
  return `${method} ${segments.map((segment) => (isId(segment) ? ':id' : segment)).join('/') || '/'}`;
}

const READ_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT']);

export function httpPlace(method, path) {
  const verb = String(method || 'GET').toUpperCase();
  return place('http', httpName(verb, String(path || '/')), !READ_METHODS.has(verb));
}

const REDIS_READS = new Set(
  `asking auth bitcount bitfield_ro bitpos client cluster command config dbsize discard dump echo eval_ro evalsha_ro
  exists expiretime fcall_ro ft.search geodist geohash geopos georadius_ro georadiusbymember_ro geosearch get getbit
  getrange hello hexists hget hgetall hkeys hlen hmget hpexpiretime hpttl hrandfield hscan hstrlen httl hvals info
  keys lastsave latency lcs lindex llen lolwut lpos lrange memory mget module monitor multi object pexpiretime pfcount
  ping psubscribe psync pttl pubsub punsubscribe quit randomkey readonly readwrite role scan scard sdiff select
  sinter sintercard sismember slowlog smembers smismember sort_ro srandmember sscan ssubscribe strlen subscribe substr
  sunion sunsubscribe time touch ttl type unsubscribe unwatch wait waitaof watch xinfo xlen xpending xrange xread
  xrevrange zcard zcount zdiff zinter zintercard zlexcount zmscore zrandmember zrange zrangebylex zrangebyscore zrank
  zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion`.split(/\s+/),
);
/** Commands whose key is not their first argument. */
const KEY_AT = {
  eval: 2,
  evalsha: 2,
  fcall: 2,
  bitop: 1,
  xgroup: 1,
  xreadgroup: -1,
  script: -1,
  function: -1,
};
const NO_KEY = /^(?:exec|script|function|flush|save|bgsave|bgrewriteaof|swapdb|shutdown|replicaof|slaveof)/;

/**
 * A command and its first key, the key's segments with a digit as `*`: `LPUSH bull:mail:wait`, `SET lock:*`.
 *
 * @param {string} command
 * @param {readonly unknown[]} args
 * @returns {{ name: string, writes: boolean }}
 */
export function redisFingerprint(command, args) {
  const verb = command.toLowerCase();
  const at = KEY_AT[verb] ?? 0;
  const script = at === 2 && String(args[1]) === '0';
  const first = NO_KEY.test(verb) || script ? undefined : args[at];
  const key = first === undefined || first === null ? '' : String(first).split(/\s/)[0];
  const stable = key
    .split(':')
    .map((segment) => (/\d/.test(segment) || segment.length > 40 ? '*' : segment))
    .join(':');
  return { name: [verb.toUpperCase(), stable].filter(Boolean).join(' '), writes: !REDIS_READS.has(verb) };
}

export function redisPlace(command, args) {
  const { name, writes } = redisFingerprint(command, args);
  return place('redis', name, writes);
}

/**
 * Puts a function in the place of another, which keeps its name, its length and what hangs on it.
 *
 * @param {object} owner
 * @param {string} key
 * @param {(original: Function) => Function} make
 */
export function replace(owner, key, make) {
  const property = Object.getOwnPropertyDescriptor(owner, key);
  if (typeof property?.value !== 'function' || !(property.writable || property.configurable)) return;
  const original = property.value;
  const made = make(original);
  for (const own of Reflect.ownKeys(original)) {
    if (own !== 'prototype') Object.defineProperty(made, own, Object.getOwnPropertyDescriptor(original, own));
  }
  if (property.configurable) Object.defineProperty(owner, key, { ...property, value: made });
  else owner[key] = made;
}

/** Runs `original` as it was called, between the two boundaries that `find` names for the call. */
export function around(original, find) {
  return function (...args) {
    const at = find(this, args);
    if (at === undefined) return Reflect.apply(original, this, args);
    pass(at.before);
    try {
      return Reflect.apply(original, this, args);
    } finally {
      pass(at.after);
    }
  };
}
