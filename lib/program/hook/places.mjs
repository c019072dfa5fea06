/** From what a program does to the names of the boundaries before and after it. */
import { pass, point } from './control.mjs';
import { fingerprint } from './statement.mjs';

/** Texts with literals in them never repeat: a cache of them is emptied, not grown. */
const CACHED = 5000;
const LONGEST_CACHED = 20_000;

/** `*` stands for any characters, `?` for one; the side may be left out. */
function globs(text) {
  const list = text ? JSON.parse(text) : [];
  return list.map((glob) => {
    const pattern = glob
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${pattern}(?: before| after)?$`, 's');
  });
}

const included = globs(process.env.DRILL_INCLUDE);
const excluded = globs(process.env.DRILL_EXCLUDE);

function side(name, writes) {
  const matches = (pattern) => pattern.test(name);
  const counts = (writes || included.some(matches)) && !excluded.some(matches);
  return counts ? point(name) : undefined;
}

/** The file that releases a hold carries the encoded name, and a file name has at most 255 bytes. */
const LONGEST_ENCODED = 200;

function shortened(name) {
  let text = name.toWellFormed().slice(0, LONGEST_ENCODED).toWellFormed();
  while (encodeURIComponent(text).length > LONGEST_ENCODED) text = text.slice(0, -1).toWellFormed();
  return text;
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
    const short = shortened(name);
    const before = side(`${short} before`, writes);
    const after = side(`${short} after`, writes);
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

function segmentName(text) {
  let plain = text;
  try {
    plain = decodeURIComponent(text);
  } catch {
    // Not an encoded text: taken as it is.
  }
  return IDS.some((id) => id.test(plain)) ? ':id' : text;
}

/** A request's path without its query; `:id` for segments that are ids. */
export function httpName(method, path) {
  const plain = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
  return `${method} ${plain.split('/').map(segmentName).join('/')}`;
}

const READ_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT']);

export function httpPlace(method, path) {
  const verb = String(method || 'GET').toUpperCase();
  return place('http', httpName(verb, String(path || '/')), !READ_METHODS.has(verb));
}

const REDIS_READS = new Set(
  `asking auth bitcount bitfield_ro bitpos client command dbsize discard dump echo eval_ro evalsha_ro exists
  expiretime fcall_ro geodist geohash geopos georadius_ro georadiusbymember_ro geosearch get getbit getrange hello
  hexists hexpiretime hget hgetall hkeys hlen hmget hpexpiretime hpttl hrandfield hscan hstrlen httl hvals info keys
  lastsave latency lcs lindex llen lolwut lpos lrange memory mget monitor multi object pexpiretime pfcount ping
  psubscribe psync pttl pubsub punsubscribe quit randomkey readonly readwrite replconf reset role scan scard sdiff
  select sinter sintercard sismember slowlog smembers smismember sort_ro srandmember sscan ssubscribe strlen subscribe
  substr sunion sunsubscribe sync time touch ttl type unsubscribe unwatch wait waitaof watch xinfo xlen xpending
  xrange xread xrevrange zcard zcount zdiff zinter zintercard zlexcount zmscore zrandmember zrange zrangebylex
  zrangebyscore zrank zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion`.split(/\s+/),
);
/** Commands of two words, with the second words that only read. */
const REDIS_PAIRS = {
  acl: /^(?:cat|getuser|help|list|log|users|whoami|dryrun|genpass)$/,
  client: /./,
  cluster: /^(?:count|getkeys|help|info|keyslot|links|my|nodes|replicas|shards|slaves|slots)/,
  config: /^(?:get|help)$/,
  debug: /^(?:object|help|sleep)$/,
  function: /^(?:dump|help|list|stats)$/,
  module: /^(?:list|help)$/,
  script: /^(?:exists|help|load|show)$/,
  xgroup: /^help$/,
};

/**
 * The name of a command, without keys and values, and whether it can write.
 *
 * @param {string} command
 * @param {readonly unknown[]} args
 * @returns {{ name: string, writes: boolean }}
 */
export function redisFingerprint(command, args) {
  const verb = command.toLowerCase();
  const second = String(args[0] ?? '');
  if (Object.hasOwn(REDIS_PAIRS, verb)) {
    const writes = !REDIS_PAIRS[verb].test(second.toLowerCase());
    return { name: `${verb} ${second}`.trim().toUpperCase(), writes };
  }
  if (verb === 'fcall')
    return { name: `FCALL ${second.replace(/\d{4,}|[0-9a-f-]{16,}/gi, ':id')}`.trim(), writes: true };
  return { name: verb.toUpperCase().slice(0, 40), writes: !REDIS_READS.has(verb) };
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
