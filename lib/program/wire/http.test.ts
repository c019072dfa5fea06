import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { freePort } from './testing/postgres-server.ts';
import { type Fault, type Program, program, until, wireCase } from './testing/wire-case.ts';
import type { WireOptions } from './wire.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Records what it is asked for, and answers with the number of the charge. */
function service(
  t: TestContext,
  answer?: Answer,
): Promise<{ port: number; bodies: string[]; server: Server }> {
  const bodies: string[] = [];
  const server = createServer(async (incoming, response) => {
    if (answer) return answer(incoming, response);
    let body = '';
    for await (const chunk of incoming) body += chunk;
    bodies.push(body);
    response.setHeader('x-count', bodies.length);
    response.end(`charge ${bodies.length}`);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({ port: (server.address() as { port: number }).port, bodies, server }),
    );
  });
}

async function httpCase(
  t: TestContext,
  faults: Fault[] = [],
  more: Partial<WireOptions> = {},
  answer?: Answer,
) {
  const api = await service(t, answer);
  const wire = await wireCase(t, 'http', api.port, faults, more);
  return { ...wire, api };
}

interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** One request on a connection of its own, or on the agent's; rejects with the error's code. */
function send(
  port: number,
  method: string,
  path: string,
  body?: string | Buffer,
  agent?: Agent,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, agent: agent ?? false }, async (reply) => {
      try {
        let text = '';
        for await (const chunk of reply.setEncoding('latin1')) text += chunk;
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text });
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const charge = (port: number, body = 'a') => send(port, 'POST', '/charges', body);
const BEFORE = 'http POST /charges before';
const AFTER = 'http POST /charges after';

for (const [at, side] of [
  [BEFORE, 'before'],
  [AFTER, 'after'],
] as const) {
  test(`kill ${side} a request ends the process, and the service has ${side === 'after' ? 'one' : 'none'}`, async (t) => {
    let child: Program | undefined;
    const wire = await httpCase(t, [{ at, action: 'kill' }], { kill: () => child?.kill() });
    child = program(t, 'http-program.ts', [String(wire.port)]);
    assert.deepEqual(await child.ended, { code: null, signal: 'SIGKILL', output: '' });
    await wire.close();
    assert.deepEqual(wire.api.bodies, side === 'after' ? ['a'] : []);
  });

  test(`a message lost ${side} is a reset connection, once`, async (t) => {
    const action = side === 'before' ? 'lose-request' : 'lose-reply';
    const wire = await httpCase(t, [{ at, action }]);
    await assert.rejects(charge(wire.port), { code: 'ECONNRESET' });
    assert.deepEqual(wire.api.bodies, side === 'after' ? ['a'] : []);
    assert.equal((await charge(wire.port, 'b')).status, 200);
    assert.equal(wire.api.bodies.at(-1), 'b');
    assert.deepEqual(wire.fired(), ['fired-0']);
  });

  test(`a hold ${side} a request stops it alone until it is released`, async (t) => {
    const wire = await httpCase(t, [{ at, action: 'hold' }]);
    const held = charge(wire.port);
    await until(() => wire.held().length === 1);
    assert.equal((await charge(wire.port, 'b')).status, 200);
    assert.deepEqual(wire.api.bodies, side === 'after' ? ['a', 'b'] : ['b']);
    wire.release(at);
    assert.equal((await held).text, side === 'after' ? 'charge 1' : 'charge 2');
  });

  test(`a request repeated at ${side} reaches the service twice, and the client gets the second answer`, async (t) => {
    const wire = await httpCase(t, [{ at, action: 'repeat' }]);
    const reply = await charge(wire.port);
    assert.deepEqual([reply.text, reply.headers['x-count']], ['charge 2', '2']);
    assert.deepEqual(wire.api.bodies, ['a', 'a']);
    assert.deepEqual(wire.trace(), [BEFORE, AFTER]);
  });
}

test('a held request is still delivered when its client has gone', async (t) => {
  const wire = await httpCase(t, [{ at: BEFORE, action: 'hold' }]);
  const child = program(t, 'http-program.ts', [String(wire.port)]);
  await until(() => wire.held().length === 1);
  child.kill();
  await child.ended;
  assert.deepEqual(wire.api.bodies, []);
  wire.release(BEFORE);
  await until(() => wire.trace().includes(AFTER));
  assert.deepEqual(wire.api.bodies, ['a']);
});

test('a late reply comes when it is released, after the client may have given up', async (t) => {
  const wire = await httpCase(t, [{ at: AFTER, action: 'delay-reply' }]);
  const late = fetch(`http://127.0.0.1:${wire.port}/charges`, {
    method: 'POST',
    body: 'a',
    signal: AbortSignal.timeout(200),
  });
  await assert.rejects(late, { name: 'TimeoutError' });
  assert.deepEqual(wire.api.bodies, ['a']);
  wire.release(AFTER);
  assert.equal((await charge(wire.port, 'b')).text, 'charge 2');
});

test('an error in place of the reply comes after the effect', async (t) => {
  const wire = await httpCase(t, [{ at: AFTER, action: 'error-reply' }]);
  assert.equal((await charge(wire.port)).status, 500);
  assert.equal((await charge(wire.port, 'b')).status, 200);
  assert.deepEqual(wire.api.bodies, ['a', 'b']);
});

test('without a fault, requests on one connection have their boundaries, and reading ones have none', async (t) => {
  const wire = await httpCase(t, [], { exclude: ['http DELETE *'], include: ['http GET /jobs'] });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  for (const [method, path] of [
    ['GET', '/charges'],
    ['POST', '/charges/17?x=1'],
    ['DELETE', '/charges/17'],
    ['GET', '/jobs'],
    ['POST', '/charges/18'],
    ['HEAD', '/charges'],
  ] as const) {
    const body = method === 'POST' ? 'a' : undefined;
    const reply = await send(wire.port, method, path, body, agent);
    assert.equal(reply.status, 200);
  }
  assert.deepEqual(wire.trace(), [
    'http POST /charges/:id before',
    'http POST /charges/:id after',
    'http GET /jobs before',
    'http GET /jobs after',
    'http POST /charges/:id before #2',
    'http POST /charges/:id after #2',
  ]);
});

test('the service sees its own host and the same headers, and the client the same reply', async (t) => {
  const seen: string[][] = [];
  const wire = await httpCase(t, [], {}, (incoming, response) => {
    seen.push(incoming.rawHeaders);
    response.writeHead(303, 'Look There', [
      'Location',
      `http://${incoming.headers.host}/made`,
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
    ]);
    response.end();
  });
  const socket = connect(wire.port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(
    'POST /x HTTP/1.1\r\nHost: shop.example\r\nX-Odd: Ä\r\nX-Odd: 2\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    'latin1',
  );
  const [reply] = await once(socket, 'data');
  assert.deepEqual(seen[0]?.slice(0, 6), ['Host', `127.0.0.1:${wire.api.port}`, 'X-Odd', 'Ä', 'X-Odd', '2']);
  assert.match(
    reply.toString(),
    /^HTTP\/1.1 303 Look There\r\nLocation: http:\/\/shop.example\/made\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/,
  );
});

test('events are handed on as they come, and a long body passes in both directions', async (t) => {
  const length = 30_000_000;
  let events: ServerResponse | undefined;
  const wire = await httpCase(t, [], {}, async (incoming, response) => {
    if (incoming.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      events = response;
      return;
    }
    let bytes = 0;
    for await (const chunk of incoming) bytes += chunk.length;
    response.setHeader('x-bytes', bytes);
    response.end(Buffer.alloc(length, 'y'));
  });
  for (const method of ['GET', 'POST']) {
    const sent = request({ host: '127.0.0.1', port: wire.port, path: '/events', method, agent: false });
    sent.end();
    const [reply] = await once(sent, 'response');
    const [first] = await once(reply, 'data');
    assert.equal(first.toString(), 'data: 1\n\n');
    events?.end('data: 2\n\n');
    const [second] = await once(reply, 'data');
    assert.equal(second.toString(), 'data: 2\n\n');
  }
  const reply = await send(wire.port, 'POST', '/long', Buffer.alloc(length, 'x'));
  assert.deepEqual([reply.headers['x-bytes'], reply.text.length], [String(length), length]);
});

test('a body too long to be repeated is delivered once, and the fault has not fired', async (t) => {
  const wire = await httpCase(t, [{ at: BEFORE, action: 'repeat' }]);
  await charge(wire.port, 'x'.repeat(9_000_000));
  assert.equal(wire.api.bodies.length, 1);
  assert.deepEqual(wire.fired(), []);
});

test('of a request that is cut in the middle nothing is forwarded', async (t) => {
  const wire = await httpCase(t);
  const socket = connect(wire.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.end('POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
  socket.resume();
  await once(socket, 'close');
  assert.equal((await charge(wire.port)).text, 'charge 1');
  assert.deepEqual(wire.trace(), [BEFORE, AFTER]);
});

test('a service that refuses, or ends in the middle of a reply, is a closed connection', async (t) => {
  const none = await wireCase(t, 'http', await freePort());
  await assert.rejects(charge(none.port), { code: 'ECONNRESET' });
  const wire = await httpCase(t, [], {}, (incoming, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
    setImmediate(() => incoming.socket.destroy());
  });
  await assert.rejects(charge(wire.port), { code: 'ECONNRESET' });
  assert.deepEqual(wire.trace(), [BEFORE]);
});

test('an upgraded connection passes as it is', async (t) => {
  const wire = await httpCase(t);
  wire.api.server.on('upgrade', (_incoming, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  const sent = request({
    host: '127.0.0.1',
    port: wire.port,
    headers: { connection: 'Upgrade', upgrade: 'echo' },
  });
  sent.end();
  const [, socket] = await once(sent, 'upgrade');
  t.after(() => socket.destroy());
  socket.write('hello');
  const [echo] = await once(socket, 'data');
  assert.equal(echo.toString(), 'hello');
});

test('closing the proxy ends what is held', async (t) => {
  const wire = await httpCase(t, [{ at: AFTER, action: 'hold' }]);
  const failed = assert.rejects(charge(wire.port));
  await until(() => wire.held().length === 1);
  await wire.close();
  await failed;
});

test('after a kill nothing more is forwarded, on whatever connection', async (t) => {
  const wire = await httpCase(t, [{ at: BEFORE, hit: 2, action: 'kill' }]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  await send(wire.port, 'POST', '/charges', 'a', agent);
  const ends = [charge(wire.port, 'killed').catch(() => {})];
  await until(() => wire.fired().length === 1);
  ends.push(
    send(wire.port, 'POST', '/charges', 'b', agent).then(
      () => assert.fail('forwarded after the kill'),
      () => {},
    ),
  );
  ends.push(
    charge(wire.port, 'c').then(
      () => assert.fail('forwarded after the kill'),
      () => {},
    ),
  );
  for (let turn = 0; turn < 20; turn += 1) await charge(wire.api.port, 'direct');
  await wire.close();
  await Promise.all(ends);
  assert.deepEqual([...new Set(wire.api.bodies)], ['a', 'direct']);
  assert.deepEqual(wire.trace(), [BEFORE, AFTER, `${BEFORE} #2`]);
});
