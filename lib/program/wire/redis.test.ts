import assert from 'node:assert/strict';
import { after, before, test as run, type TestContext } from 'node:test';
import type { TestServer } from './testing/postgres-server.ts';
import { command, NO_REDIS, RedisClient, startRedis } from './testing/redis-server.ts';
import { chopper, type Fault, type Program, program, until, wireCase } from './testing/wire-case.ts';
import type { WireOptions } from './wire.ts';

const test = (name: string, body: (t: TestContext) => Promise<void>) => run(name, { skip: NO_REDIS }, body);
const OK = '+OK\r\n';
let server: TestServer | undefined;
before(async () => {
  if (!NO_REDIS) server = await startRedis();
});
after(() => server?.stop());

function client(t: TestContext, port: number): RedisClient {
  const made = new RedisClient(port);
  t.after(() => made.socket.destroy());
  return made;
}

async function redisCase(t: TestContext, faults: Fault[] = [], more: Partial<WireOptions> = {}) {
  const { port } = server as TestServer;
  const direct = client(t, port);
  await direct.expect(command('FLUSHALL'), OK);
  const wire = await wireCase(t, 'redis', port, faults, more);
  const has = async (key: string, value: string | undefined) => {
    await direct.expect(
      command('GET', key),
      value === undefined ? '$-1\r\n' : `$${value.length}\r\n${value}\r\n`,
    );
  };
  return { ...wire, direct, has, client: () => client(t, wire.port) };
}

for (const side of ['before', 'after']) {
  test(`kill ${side} SET ends the process and leaves ${side === 'after' ? 'the' : 'no'} key`, async (t) => {
    let child: Program | undefined;
    const wire = await redisCase(t, [{ at: `redis SET ${side}`, action: 'kill' }], {
      kill: () => child?.kill(),
    });
    child = program(t, 'redis-program.ts', [String(wire.port)]);
    assert.deepEqual(await child.ended, { code: null, signal: 'SIGKILL', output: '' });
    await wire.close();
    await wire.has('key', side === 'after' ? 'a' : undefined);
  });

  test(`a message lost ${side} SET is a reset connection, once`, async (t) => {
    const action = side === 'before' ? 'lose-request' : 'lose-reply';
    const wire = await redisCase(t, [{ at: `redis SET ${side}`, action }]);
    const one = wire.client();
    one.socket.write(command('SET', 'key', 'a'));
    await one.closed;
    assert.deepEqual([one.error, one.text], ['ECONNRESET', '']);
    await wire.has('key', side === 'after' ? 'a' : undefined);
    await wire.client().expect(command('SET', 'key', 'b'), OK);
    await wire.has('key', 'b');
    assert.deepEqual(wire.fired(), ['fired-0']);
  });

  test(`a hold ${side} SET stops its connection alone until it is released`, async (t) => {
    const at = `redis SET ${side}`;
    const wire = await redisCase(t, [{ at, action: 'hold' }]);
    const held = wire.client().expect(command('SET', 'key', 'a'), OK);
    await until(() => wire.held().length === 1);
    await wire.client().expect(command('SET', 'other', 'b'), OK);
    await wire.has('key', side === 'after' ? 'a' : undefined);
    wire.release(at);
    await held;
    await wire.has('key', 'a');
  });
}

/** Commands sent at once, with their replies. */
const CONVERSATION: [string, string][] = [
  [
    command('SET', 'a', '1') + command('GET', 'a') + command('NOPE'),
    "+OK\r\n$1\r\n1\r\n-ERR unknown command 'NOPE', with args beginning with: \r\n",
  ],
  ['SET b 2\r\n\r\nPING\r\n', '+OK\r\n+PONG\r\n'],
  [
    command('MULTI') + command('SET', 'a', '3') + command('LPUSH', 'l', 'x', 'y') + command('EXEC'),
    '+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n:2\r\n',
  ],
  [
    command('LRANGE', 'l', '0', '-1') + command('BLPOP', 'l', '0') + command('DEL', 'l'),
    '*2\r\n$1\r\ny\r\n$1\r\nx\r\n*2\r\n$1\r\nl\r\n$1\r\ny\r\n:1\r\n',
  ],
  [
    command('SET', 'big', 'v'.repeat(600_000)) + command('STRLEN', 'big') + command('GET', 'big'),
    `+OK\r\n:600000\r\n$600000\r\n${'v'.repeat(600_000)}\r\n`,
  ],
  [
    command('EVAL', "return {1, {'two', false}, {}}", '0') + command('SET', 'c', ''),
    '*3\r\n:1\r\n*2\r\n$3\r\ntwo\r\n$-1\r\n*0\r\n+OK\r\n',
  ],
  [
    command('SUBSCRIBE', 'x', 'y') + command('UNSUBSCRIBE') + command('SET', 'c', '4'),
    '*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\ny\r\n:2\r\n',
  ],
];
const TRACE = ['SET', 'NOPE', 'SET', 'EXEC', 'BLPOP', 'DEL', 'SET', 'EVAL', 'SET', 'SET'];

test('a client gets the same replies as without the proxy, in whatever pieces they come', async (t) => {
  const talk = async (port: number, wire?: { trace(): string[] }) => {
    const one = client(t, port);
    for (const [bytes, reply] of CONVERSATION.slice(0, -1)) await one.expect(bytes, reply);
    const [bytes, reply] = CONVERSATION.at(-1) as [string, string];
    one.text = '';
    one.socket.write(bytes);
    await until(() => one.text.endsWith(OK));
    assert.ok(one.text.startsWith(reply));
    if (!wire) return;
    for (const side of ['before', 'after']) {
      const own: string[] = wire.trace().filter((line) => line.includes(side));
      assert.deepEqual(
        own.map((line) => line.split(' ')[1]),
        TRACE,
      );
    }
  };
  const wire = await redisCase(t);
  await talk((server as TestServer).port);
  await talk(wire.port, wire);
  const big = CONVERSATION.splice(4, 1);
  const trace = TRACE.splice(6, 1);
  t.after(() => {
    CONVERSATION.splice(4, 0, ...big);
    TRACE.splice(6, 0, ...trace);
  });
  const held = ['SET', 'EXEC', 'BLPOP', 'DEL', 'EVAL'].map((name) => ({
    at: `redis ${name} after`,
    hit: 99,
    action: 'hold',
  }));
  const inner = await redisCase(t, held);
  const outer = await wireCase(t, 'redis', await chopper(t, inner.port), held);
  await talk(outer.port, outer);
  assert.deepEqual(outer.trace().length, inner.trace().length);
});

test('pushes of RESP3 and messages of a subscription belong to no command', async (t) => {
  const wire = await redisCase(t, [{ at: 'redis SET after', hit: 2, action: 'lose-reply' }]);
  const three = wire.client();
  three.socket.write(command('HELLO', '3') + command('SUBSCRIBE', 'news'));
  await until(() => three.text.includes('subscribe'));
  await three.expect(command('SET', 'a', '1'), OK);
  await wire.direct.expect(command('PUBLISH', 'news', 'x'), ':1\r\n');
  await until(() => three.text.includes('message'));
  three.socket.write(command('SET', 'a', '2'));
  await three.closed;
  await wire.has('a', '2');
  assert.deepEqual(wire.trace(), [
    'redis SET before',
    'redis SET after',
    'redis SET before #2',
    'redis SET after #2',
  ]);
});

test('a message that comes while a command waits is not its reply', async (t) => {
  const wire = await redisCase(t);
  const three = wire.client();
  three.socket.write(command('HELLO', '3') + command('SUBSCRIBE', 'news'));
  await until(() => three.text.includes('subscribe'));
  three.socket.write(command('BLPOP', 'jobs', '0'));
  await until(() => wire.trace().length === 1);
  await wire.direct.expect(command('PUBLISH', 'news', 'x'), ':1\r\n');
  await until(() => three.text.includes('message'));
  assert.deepEqual(wire.trace(), ['redis BLPOP before']);
  await wire.direct.expect(command('LPUSH', 'jobs', 'x'), ':1\r\n');
  await until(() => three.text.includes('jobs'));
  assert.deepEqual(wire.trace(), ['redis BLPOP before', 'redis BLPOP after']);
});

test('a blocking command has its end when its reply is there', async (t) => {
  const wire = await redisCase(t);
  const blocked = wire.client().expect(command('BLPOP', 'jobs', '0'), '*2\r\n$4\r\njobs\r\n$1\r\nx\r\n');
  await until(() => wire.trace().length === 1);
  await wire.client().expect(command('LPUSH', 'jobs', 'x'), ':1\r\n');
  await blocked;
  assert.deepEqual(wire.trace().toSorted(), [
    'redis BLPOP after',
    'redis BLPOP before',
    'redis LPUSH after',
    'redis LPUSH before',
  ]);
});

test('of a command that is cut in the middle nothing is forwarded', async (t) => {
  const wire = await redisCase(t);
  const whole = command('SET', 'key', 'a');
  for (const bytes of [2, 9, whole.length - 1]) {
    const one = wire.client();
    one.socket.end(whole.slice(0, bytes));
    await one.closed;
  }
  assert.deepEqual(wire.trace(), []);
  await wire.has('key', undefined);
});

test('a large reply with a fault at its end is not kept whole', async (t) => {
  const at = 'redis GET after';
  const wire = await redisCase(t, [{ at, action: 'hold' }], { include: ['redis GET'] });
  const size = 20_000_000;
  await wire.direct.expect(command('SETRANGE', 'big', String(size - 1), 'x'), `:${size}\r\n`);
  const one = wire.client();
  one.socket.write(command('GET', 'big'));
  await until(() => wire.held().length === 1);
  await until(() => one.text.length > size - 1_500_000);
  assert.ok(one.text.length < size - 900_000);
  wire.release(at);
  await until(() => one.text.length === size + 13);
});
