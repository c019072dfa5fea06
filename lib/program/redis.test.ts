import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { loadProgram } from './load.ts';
import { EmbeddedRedis } from './redis.ts';
import { findProgram } from './references.ts';
import { makeScratch, remove } from './scratch.ts';
import { sweepProgram } from './sweep.ts';
import { type Change, leftBehind, smallLab } from './testing/lab.ts';

const skip =
  findProgram('redis-server') && findProgram('redis-cli') ? false : 'this machine has no redis-server';
const cli = (url: string, ...words: string[]) =>
  execFileSync('redis-cli', ['--no-auth-warning', '-u', url, ...words], { encoding: 'utf8' }).trim();

/** Its setup puts 10 into Redis; the program counts up; the receipts panel shows the number. */
const counting = (redis: string): { yaml: Change[]; more: string } => ({
  yaml: [
    [
      'setup:\n',
      `services: { cache: { redis: ${redis} } }\nenv: { CACHE: $cache.url }\nsetup:\n  - [redis-cli, -u, $CACHE, SET, n, "10"]\n`,
    ],
    [
      '  main:',
      `  cache: { command: [sh, -c, 'echo "{\\"n\\": $(redis-cli -u "$$CACHE" GET n)}"'] }\n  main:`,
    ],
    ['panels:\n', 'panels:\n  receipts: { store: cache, key: n }\n'],
  ],
  more: "(await import('node:child_process')).execFileSync('redis-cli', ['-u', process.env.CACHE, 'INCR', 'n']);",
});

test('every run begins with what setup left in redis-server', { skip }, async (t) => {
  const result = await sweepProgram(loadProgram(smallLab(t, counting('embedded')).file));
  assert.equal(result.verdict, 'holds', result.reasons.join('\n'));
  assert.deepEqual(leftBehind(), []);
});

test('a given Redis is used only where its database is empty, and is empty again afterwards', {
  skip,
}, async (t) => {
  const scratch = makeScratch();
  const server = await new EmbeddedRedis(scratch, 'given').run();
  t.after(async () => {
    await server.close();
    remove(scratch);
    delete process.env.GIVEN_REDIS;
  });
  process.env.GIVEN_REDIS = server.url.href;
  const { file } = smallLab(t, counting('$GIVEN_REDIS'));
  const result = await sweepProgram(loadProgram(file));
  assert.equal(result.verdict, 'holds', result.reasons.join('\n'));
  assert.equal(cli(server.url.href, 'DBSIZE'), '0');
  cli(server.url.href, 'SET', 'theirs', '1');
  await assert.rejects(
    sweepProgram(loadProgram(file)),
    /the Redis database holds 1 keys; give one that is empty/,
  );
  assert.equal(cli(server.url.href, 'GET', 'theirs'), '1');
});
