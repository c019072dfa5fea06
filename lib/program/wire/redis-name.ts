/** Names of Redis commands, and which of them only read or concern their own connection. */
import type { Named } from './control.ts';

const READ_ONLY = new Set(
  `bitcount bitfield_ro bitpos command dbsize dump echo eval_ro evalsha_ro exists expiretime fcall_ro geodist
  geohash geopos georadius_ro georadiusbymember_ro geosearch get getbit getrange hexists hexpiretime hget
  hgetall hkeys hlen hmget hpexpiretime hpttl hrandfield hscan hstrlen httl hvals info keys lastsave lcs lindex
  llen lolwut lpos lrange mget object pexpiretime pfcount ping pttl randomkey role scan scard sdiff sinter
  sintercard sismember smembers smismember sort_ro srandmember sscan strlen substr sunion time touch ttl type
  xinfo xlen xpending xrange xread xrevrange zcard zcount zdiff zinter zintercard zlexcount zmscore
  zrandmember zrange zrangebylex zrangebyscore zrank zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan
  zscore zunion wait waitaof latency memory slowlog pubsub`.split(/\s+/),
);

/** About the connection alone. MULTI and what it queues wait for their EXEC. */
const CONNECTION = new Set(
  `asking auth client discard hello monitor multi psubscribe psync punsubscribe quit readonly readwrite
  replconf reset select ssubscribe subscribe sunsubscribe sync unsubscribe unwatch watch`.split(/\s+/),
);

/** Commands of two words, with the second words that only read. */
const CONTAINERS: Record<string, RegExp> = {
  acl: /^(cat|getuser|help|list|log|users|whoami|dryrun|genpass)$/,
  client: /./,
  cluster: /^(count|getkeys|help|info|keyslot|links|my|nodes|replicas|shards|slaves|slots)/,
  command: /./,
  config: /^(get|help)$/,
  debug: /^(object|help|sleep)$/,
  function: /^(dump|help|list|stats)$/,
  latency: /./,
  memory: /./,
  module: /^(list|help)$/,
  object: /./,
  pubsub: /./,
  script: /^(exists|help|load|show)$/,
  slowlog: /./,
  xgroup: /^help$/,
  xinfo: /./,
};

const ID = /\d{4,}|[0-9a-f-]{16,}/gi;

/**
 * @param words the first words of a command
 * @returns its name in capitals, without keys and values, and whether it can write
 */
export function nameCommand(words: string[]): Named {
  const [verb = '', second = ''] = words.map((word) => word.toLowerCase());
  const container = Object.hasOwn(CONTAINERS, verb) ? CONTAINERS[verb] : undefined;
  if (container) {
    return { name: `${verb} ${second}`.trim().toUpperCase(), writes: !container.test(second) };
  }
  if (verb === 'fcall') return { name: `FCALL ${(words[1] ?? '').replace(ID, '#')}`.trim(), writes: true };
  return { name: verb.toUpperCase().slice(0, 40), writes: !READ_ONLY.has(verb) && !CONNECTION.has(verb) };
}
