import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { JOURNAL, type Journal, SCENARIO } from '../drill/bundle/model.ts';
import { hasRace } from '../drill/propose.ts';
import { scenariosOf } from '../drill/scenario.ts';
import { labs } from '../labs/registry.ts';
import { forge } from '../testing/case.ts';
import { tempDir } from '../testing/temp-dir.ts';

const PROGRAM = join(projectRoot(), 'bin', 'drill.mjs');

function drill(dir: string, ...words: string[]) {
  return spawnSync(process.execPath, [PROGRAM, ...words], {
    cwd: dir,
    encoding: 'utf8',
    env: { ...process.env, DRILL_DATA_DIR: join(dir, 'data') },
  });
}

/** Begins a command line and interrupts it as soon as it has made a directory to work in. */
async function interrupted(dir: string, ...words: string[]): Promise<{ code: number; left: string[] }> {
  const scratch = join(dir, 'scratch');
  mkdirSync(scratch, { recursive: true });
  const work = () => readdirSync(scratch).filter((name) => name.startsWith('drill-'));
  const env = { ...process.env, DRILL_DATA_DIR: join(dir, 'data'), TMPDIR: scratch };
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: dir, env, stdio: 'ignore' });
  const end = once(child, 'exit');
  while (child.exitCode === null && child.signalCode === null && work().length === 0)
    await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill('SIGINT');
  const [code] = (await end) as [number];
  return { code, left: work() };
}

/** A kept run, exported; the data directory it lay in is another one than that of the replay. */
function exported(t: TestContext, scenario: string): string {
  const dir = tempDir(t);
  const run = drill(dir, 'run', scenario, '--keep', '--json');
  assert.equal(run.status, 0, run.stderr);
  const { run: id } = JSON.parse(run.stdout) as { run: string };
  const written = drill(dir, 'export', id, '--out', 'case.zip');
  assert.equal(written.status, 0, written.stderr);
  assert.match(written.stdout, /^case\.zip: \d+ bytes\n$/);
  const again = drill(dir, 'export', id, '--out', 'case.zip');
  assert.equal(again.status, 73);
  assert.match(again.stderr, /is there already; it was left as it is/);
  return join(dir, 'case.zip');
}

test('one case of every lab: exported, replayed elsewhere, equal', (t) => {
  for (const lab of labs) {
    const scenario = scenariosOf(lab.id).find((one) => !hasRace(one.steps));
    const file = exported(t, scenario?.id ?? '');
    const elsewhere = tempDir(t);
    const replayed = drill(elsewhere, 'replay', file);
    assert.equal(replayed.status, 0, `${lab.id}: ${replayed.stdout}${replayed.stderr}`);
    assert.match(
      replayed.stdout,
      /\nEqual: \d+ steps were run again; the evidence after every step is the same to the byte, .* were not compared\./,
    );
    assert.equal(existsSync(join(elsewhere, 'data')), false, 'a replay stores nothing');
  }
});

test('a case that comes out otherwise ends with 1 and says where; a file that is none with 65', async (t) => {
  const file = exported(t, 'receipt/not-approved');
  const dir = tempDir(t);
  const forged = await forge(readFileSync(file), (files) => {
    const journal = JSON.parse(String(files.get(JOURNAL))) as Journal;
    const last = journal.steps.at(-1)?.record;
    assert.ok(last?.executors[0]);
    last.executors[0].code = 7;
    // A forger who knows the format changes scenario and journal alike; a replay finds it all the same.
    Object.assign(last.spec.expect ?? {}, { exit: 7 });
    files.set(JOURNAL, Buffer.from(JSON.stringify(journal)));
    files.set(SCENARIO, Buffer.from(String(files.get(SCENARIO)).replace('exit: 3', 'exit: 7')));
  });
  writeFileSync(join(dir, 'forged.zip'), forged);
  const different = drill(dir, 'replay', 'forged.zip', '--json');
  assert.equal(different.status, 1, different.stderr);
  const document = JSON.parse(different.stdout) as {
    equal: boolean;
    difference: { cell: string; bundle: string[] };
  };
  assert.equal(document.equal, false);
  assert.deepEqual([document.difference.cell, document.difference.bundle], ['end', ['7']]);
  writeFileSync(join(dir, 'half.zip'), forged.subarray(0, forged.length / 2));
  const half = drill(dir, 'replay', 'half.zip');
  assert.deepEqual([half.status, half.stdout], [65, '']);
  assert.equal(half.stderr.trim().split('\n').length, 1);
  assert.equal(drill(dir, 'replay', 'none.zip').status, 64);
  assert.equal(drill(dir, 'export', '../../etc', '--out', 'x.zip').status, 64);
  assert.equal(existsSync(join(dir, 'x.zip')), false);
});

test('an interrupted replay or export leaves no directory and no half of a file', async (t) => {
  const file = exported(t, 'receipt/lost-ack');
  const dir = join(file, '..');
  for (let round = 0; round < 3; round++) {
    const replayed = await interrupted(dir, 'replay', file);
    assert.deepEqual(replayed, { code: 130, left: [] });
  }
  const run = readdirSync(join(dir, 'data', 'runs'))[0] as string;
  const { code, left } = await interrupted(dir, 'export', run, '--out', 'again.zip');
  assert.deepEqual(left, []);
  assert.ok([0, 130].includes(code), `${code}`);
  const again = join(dir, 'again.zip');
  if (existsSync(again)) assert.deepEqual(readFileSync(again), readFileSync(file));
});

test('a scenario file with thousands of faults does not print thousands of lines', (t) => {
  const dir = tempDir(t);
  writeFileSync(join(dir, 'bad.yaml'), '}\n'.repeat(20_000));
  const { status, stderr } = drill(dir, 'run', 'bad.yaml');
  assert.equal(status, 65);
  const lines = stderr.trim().split('\n');
  assert.equal(lines.length, 51);
  assert.match(lines[50] ?? '', /and 19\d\d\d more$/);
});
