/** A drill.yaml that lies: one sentence each, nothing left running, nothing left on disk. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../core/project-root.ts';
import { runOnce } from './cell.ts';
import { loadProgram } from './load.ts';
import type { SweepResult } from './model.ts';
import { withPrepared } from './prepare.ts';
import { Reader } from './reader-client.ts';
import { cleanLeftovers } from './scratch.ts';
import { sweepProgram } from './sweep.ts';
import { type Change, leftBehind, smallLab } from './testing/lab.ts';

async function sweepOf(t: TestContext, change: { yaml?: Change[]; more?: string }): Promise<SweepResult> {
  const result = await sweepProgram(loadProgram(smallLab(t, change).file));
  assert.deepEqual(leftBehind(), []);
  return result;
}

async function baselineSays(
  t: TestContext,
  change: { yaml?: Change[]; more?: string },
  sentence: RegExp,
): Promise<void> {
  const result = await sweepOf(t, change);
  assert.equal(result.verdict, 'unknown', JSON.stringify(result.reasons));
  assert.match(result.reasons.join('\n'), sentence);
  assert.deepEqual(
    result.parts.flatMap(({ cells }) => cells),
    [],
  );
}

const SHORT: Change = ['within: 5s', 'within: 700ms'];

test('a command that never ends is killed at its deadline', (t) =>
  baselineSays(
    t,
    { yaml: [SHORT], more: 'setInterval(() => {}, 1000);' },
    /had not ended after 700ms and was killed/,
  ));

test('a command that fails says its last line', (t) =>
  baselineSays(
    t,
    { more: "throw new Error('no bank today');" },
    /ended with exit code 1\. Its last line: Node/,
  ));

test('a command that forks into the background leaves nothing running', async (t) => {
  const more =
    "spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }).unref(); spawn('sleep', ['1001'], { stdio: 'ignore' }).unref();";
  const reader = new Reader();
  t.after(() => reader.close());
  await withPrepared(loadProgram(smallLab(t, { more }).file), async (prepared) => {
    const dir = join(prepared.scratch, 'run');
    const run = { prepared, source: 'code' as const, variant: 'plain', faults: [], reader, dir };
    const { steps } = await runOnce(run);
    // Both are gone before the evidence is read: the one in the group, and the one that has left it.
    assert.equal(steps[0]?.executors[0]?.left, 2);
  });
  assert.deepEqual(leftBehind(), []);
});

test('a command that ignores SIGTERM is ended all the same', async (t) => {
  const until = 'until: { store: main, sql: "SELECT status FROM orders", equals: paid }';
  const more = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  const result = await sweepOf(t, { yaml: [['within: 5s', until]], more });
  assert.equal(result.verdict, 'holds');
});

test('a command that prints a hundred megabytes is no trouble', async (t) => {
  const more = "for (let i = 0; i < 100; i++) process.stdout.write('x'.repeat(1024 * 1024));";
  const result = await sweepOf(t, { more });
  assert.equal(result.verdict, 'holds');
});

test('a setup that fails half-way is said, and nothing is run', async (t) => {
  const { file } = smallLab(t, {
    yaml: [['stores:\n', '  - [sh, -c, "echo oh no >&2; exit 3"]\nstores:\n']],
  });
  await assert.rejects(
    sweepProgram(loadProgram(file)),
    /The setup failed: .* ended with exit code 3\. Its last line: oh no/,
  );
  assert.deepEqual(leftBehind(), []);
});

test('a query that fails, writes or never returns is a gap, never zero', async (t) => {
  const effects = 'SELECT order_id AS operation FROM charges';
  await baselineSays(
    t,
    { yaml: [[effects, 'SELECT x FROM nowhere']] },
    /effects of the store main cannot be read: no such table/,
  );
  await baselineSays(
    t,
    { yaml: [[effects, 'DELETE FROM charges RETURNING order_id AS operation']] },
    /is not a query that only reads/,
  );
  const endless =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS operation FROM n';
  await baselineSays(t, { yaml: [[effects, endless]] }, /had not answered after 10s/);
});

test('a store that vanishes makes the outcome unknown', (t) =>
  baselineSays(
    t,
    { more: "db.close(); rmSync('data.sqlite');" },
    /effects of the store main cannot be read: missing/,
  ));

test('a store that becomes a link out of the directory is not followed', (t) =>
  baselineSays(
    t,
    {
      more: "db.close(); rmSync('data.sqlite'); (await import('node:fs')).symlinkSync('/etc/passwd', 'data.sqlite');",
    },
    /a link that leads out of the directory of the run/,
  ));

test('a baseline that is violated injects nothing', async (t) => {
  const result = await sweepOf(t, {
    more: "db.prepare('INSERT INTO charges (order_id) VALUES (?)').run(id);",
  });
  assert.equal(result.verdict, 'violated');
  assert.match(
    result.reasons.join('\n'),
    /without a fault, at-most-one-effect is violated: o-1 has 2 effects/,
  );
  assert.equal(result.parts[0]?.cells.length, 0);
});

test('a boundary that is passed ten thousand times is crashed three times', async (t) => {
  const result = await sweepOf(t, { more: "for (let i = 0; i < 10_000; i++) boundary('again');" });
  const keys = result.parts[0]?.planned.filter((key) => key.includes('again'));
  assert.deepEqual(keys, ['submit/again#1:kill', 'submit/again#2:kill', 'submit/again#3:kill']);
  assert.equal(result.verdict, 'holds');
});

test('a program without a boundary is unknown, and says why', async (t) => {
  const { file, folder } = smallLab(t);
  const text = readFileSync(join(folder, 'program.mjs'), 'utf8');
  writeFileSync(join(folder, 'program.mjs'), text.replaceAll(/boundary\('.*'\);/g, ''));
  const result = await sweepProgram(loadProgram(file));
  assert.equal(result.verdict, 'unknown');
  assert.equal(result.reasons.length, 1);
  assert.match(
    result.reasons[0] ?? '',
    /^code, plain: no boundary was passed, so nothing could be crashed; call boundary/,
  );
});

test('a service that does not start, or dies in mid sweep, is one sentence', async (t) => {
  const dead: Change = [
    'setup:',
    'services: { api: { run: [sh, -c, "echo broken; exit 1"], ready: { port: $PORT } } }\nsetup:',
  ];
  await assert.rejects(
    sweepProgram(loadProgram(smallLab(t, { yaml: [dead] }).file)),
    /The service api did not start: it ended: broken\./,
  );
  const serve =
    "require('net').createServer(s => s.end()).listen(process.env.PORT, '127.0.0.1'); setTimeout(() => process.exit(1), 150)";
  const dies: Change = [
    'setup:',
    `services: { api: { run: [node, -e, ${JSON.stringify(serve)}], ready: { port: $PORT } } }\nsetup:`,
  ];
  await assert.rejects(
    sweepProgram(
      loadProgram(smallLab(t, { yaml: [dies], more: 'await new Promise((r) => setTimeout(r, 600));' }).file),
    ),
    /In the step submit, the service api has ended/,
  );
  assert.deepEqual(leftBehind(), []);
});

test('the value of a secret does not come out', async (t) => {
  process.env.SMALL_SECRET = 'hunter2-hunter2';
  t.after(() => delete process.env.SMALL_SECRET);
  const yaml: Change[] = [['setup:', 'env: { KEY: $SMALL_SECRET }\nsetup:']];
  const result = await sweepOf(t, { yaml, more: 'console.error(process.env.KEY); process.exit(9);' });
  assert.match(result.reasons.join(), /Its last line: \[SMALL_SECRET\]/);
  assert.doesNotMatch(JSON.stringify(result), /hunter2/);
});

test('what a kill -9 leaves is cleaned by the next start, and Ctrl-C leaves nothing', async (t) => {
  const more =
    "spawn('sleep', ['1000'], { detached: true }).unref(); await new Promise((r) => setTimeout(r, 3000));";
  const { file } = smallLab(t, { more });
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const child = spawn(process.execPath, [join(projectRoot(), 'bin', 'drill.mjs'), 'sweep', file], {
      stdio: 'ignore',
    });
    const own = `drill-program-${child.pid}-`;
    const mine = () => readdirSync(tmpdir()).filter((name) => name.startsWith(own));
    const runs = () =>
      mine().some((name) => readdirSync(join(tmpdir(), name)).some((one) => one.startsWith('code-')));
    while (!runs()) await sleep(20);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
    if (signal === 'SIGKILL') {
      assert.equal(mine().length, 1);
      cleanLeftovers();
    }
    assert.deepEqual(mine(), []);
    assert.equal(existsSync(join(tmpdir(), own)), false);
    assert.doesNotMatch(
      execFileSync(
        'sh',
        ['-c', 'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -a DRILL_STEP || true'],
        { encoding: 'utf8' },
      ),
      new RegExp(own),
    );
  }
});
