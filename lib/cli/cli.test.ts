/** The command line as a stranger uses it: exit codes, one sentence on standard error, nothing changed. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { assertSentence, bench, bin, prepared } from './testing/bench.ts';

test('the published experiment works by hand, one process a line, with its exit codes', (t) => {
  const { drill, lab, file, proposal } = prepared(t);
  const path = file('proposal.json', JSON.stringify(proposal));
  const crashed = drill(
    'lab',
    'receipt',
    'run',
    '--dir',
    lab,
    '--proposal',
    path,
    '--approve',
    '--fault',
    'after-target',
  );
  assert.equal(crashed.code, 86);
  assert.equal(crashed.out, '');
  const recovered = drill('lab', 'receipt', 'recover', '--dir', lab, '--operation', 'synthetic-finding-001');
  assert.equal(recovered.code, 0);
  assert.equal(JSON.parse(recovered.out).status, 'reconciled');
  assert.equal(drill('lab', 'receipt', 'run', '--proposal', path, '--approve', '--dir', lab).code, 0);
  const evidence = JSON.parse(drill('inspect', '--dir', lab).out);
  assert.equal(evidence.panels[1].rows[0].cells.version, 2);
});

test('death by a signal is 128 and its number', (t) => {
  const { drill, lab, file, proposal } = prepared(t);
  const path = file('proposal.json', JSON.stringify(proposal));
  const run = (fault: string) =>
    drill('lab', 'receipt', 'run', '--dir', lab, '--proposal', path, '--approve', '--fault', fault);
  assert.equal(run('after-intent:kill').code, 137);
  assert.equal(run('before-target-commit:abort').code, 134);
});

test('a directory without a database is 66 and stays empty; a file that is no database is 66 and stays as it is', (t) => {
  const { drill, dir } = bench(t);
  const empty = join(dir, 'empty');
  mkdirSync(empty);
  for (const words of [
    ['inspect', '--dir', empty],
    ['lab', 'receipt', 'recover', '--dir', empty, '--operation', 'x'],
    ['lab', 'receipt', 'plan', '--dir', join(dir, 'missing')],
  ]) {
    const { code, err } = drill(...words);
    assert.equal(code, 66, words.join(' '));
    assertSentence(err);
  }
  assert.deepEqual(readdirSync(empty), []);
  assert.ok(!existsSync(join(dir, 'missing')));
  writeFileSync(
    join(empty, 'lab.sqlite'),
    'this is a text, and quite a long one at that; it is not a database.',
  );
  assert.equal(drill('inspect', '--dir', empty).code, 66);
  assert.equal(drill('lab', 'receipt', 'plan', '--dir', empty).code, 66);
  assert.equal(drill('lab', 'receipt', 'init', '--dir', empty).code, 73);
  assert.match(readFileSync(join(empty, 'lab.sqlite'), 'utf8'), /^this is a text/);
});

test('a malformed proposal is 65 and nothing is written', (t) => {
  const { drill, lab, file, proposal } = prepared(t);
  const before = drill('inspect', '--dir', lab).out;
  const { digest, ...lacking } = proposal;
  const bad: [string, string][] = [
    ['not JSON', 'not json at all'],
    ['a missing field', JSON.stringify(lacking)],
    ['a number as a string', JSON.stringify({ ...proposal, expectedVersion: '1' })],
    ['an unknown contract', JSON.stringify({ ...proposal, contract: 2 })],
    ['a wrong digest', JSON.stringify({ ...proposal, target: 'other-bucket' })],
    ['an array', '[]'],
    ['10 MB', JSON.stringify({ ...proposal, padding: 'x'.repeat(10_000_000) })],
  ];
  for (const [what, content] of bad) {
    const path = file('bad.json', content);
    const { code, err } = drill('lab', 'receipt', 'run', '--dir', lab, '--proposal', path, '--approve');
    assert.equal(code, 65, what);
    assertSentence(err);
  }
  assert.equal(
    drill('lab', 'receipt', 'run', '--dir', lab, '--proposal', join(lab, 'none.json'), '--approve').code,
    65,
  );
  assert.equal(drill('inspect', '--dir', lab).out, before);
});

test('an unknown lab, command, boundary, scenario, flag, fault or safeguard is 64 and names what there is', (t) => {
  const { drill, lab } = prepared(t);
  for (const words of [
    ['lab', 'nowhere', 'init', '--dir', lab],
    ['lab', 'receipt', 'destroy', '--dir', lab],
    ['lab', 'receipt', 'plan', '--dir', lab, '--fault', 'nowhere'],
    ['lab', 'receipt', 'plan', '--dir', lab, '--fault', 'after-intent:explode'],
    ['lab', 'receipt', 'plan', '--dir', lab, '--frobnicate', '1'],
    ['lab', 'receipt', 'plan', '--dir', lab, '--without', 'gravity'],
    ['run', 'receipt/nothing'],
    ['run', '../../etc/passwd'],
    ['run', 'receipt/lost-ack', '--without', 'gravity'],
    ['run'],
    ['run', 'receipt/lost-ack', '--all'],
    ['run', 'receipt/lost-ack', '--lab', 'receipt'],
    ['frobnicate'],
    ['oracle', 'receipt'],
  ]) {
    const { code, err } = drill(...words);
    assert.equal(code, 64, `${words.join(' ')}: ${code} ${err}`);
    assertSentence(err);
  }
});

test('a directory inside the data of the dashboard is refused', (t) => {
  const { drill, data, dir } = bench(t);
  const { code, err } = drill('lab', 'receipt', 'init', '--dir', join(data, 'runs', 'x'));
  assert.equal(code, 64);
  assertSentence(err);
  assert.ok(!existsSync(data));
  symlinkSync(data, join(dir, 'link'));
  mkdirSync(data);
  assert.equal(drill('lab', 'receipt', 'init', '--dir', join(dir, 'link', 'runs')).code, 64);
  assert.deepEqual(readdirSync(data), []);
});

test('the data directory that is kept free is that of the dashboard, wherever the command line is started', (t) => {
  const { dir } = bench(t);
  const env: NodeJS.ProcessEnv = { ...process.env };
  delete env.DRILL_DATA_DIR;
  const words = ['lab', 'receipt', 'plan', '--dir', join(projectRoot(), '.data', 'runs', 'x')];
  const end = spawnSync(process.execPath, [bin, ...words], { encoding: 'utf8', env, cwd: dir });
  assert.equal(end.status, 64, end.stderr);
});

test('a directory that cannot be made is named at once', (t) => {
  const { code, err } = bench(t).drill('lab', 'receipt', 'init', '--dir', '/proc/nowhere/lab');
  assert.equal(code, 74);
  assert.match(err, /^The directory \/proc\/nowhere\/lab cannot be made: .*\.\n$/);
});

test('what a sweep cannot be asked for is 64 before anything is done', (t) => {
  const { drill, dir } = bench(t);
  for (const words of [
    ['--depth', '0'],
    ['--depth', '1.5'],
    ['--without', 'gravity'],
    ['--junit', join(dir, 'nowhere', 'report.xml')],
    ['--junit', dir],
  ]) {
    const { code, err, out } = drill('matrix', 'receipt', ...words);
    assert.deepEqual([code, out], [64, ''], words.join(' '));
    assertSentence(err);
  }
  const { code, err } = drill('run', 'outbox/naive-lost-ack', '--without', 'review');
  assert.equal(code, 64);
  assert.match(err, /^Lab outbox has no safeguard "review"; there are: intent-with-request, /);
});

test('a sweep that is interrupted ends with its executors and leaves no directory', async (t) => {
  const { dir, data } = bench(t);
  const child = spawn(process.execPath, [bin, 'matrix', 'receipt', '--depth', '2'], {
    env: { ...process.env, DRILL_DATA_DIR: data, TMPDIR: dir },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const sweeps = () => readdirSync(dir).filter((name) => name.startsWith('drill-sweep-'));
  while (sweeps().flatMap((name) => readdirSync(join(dir, name))).length < 3) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.deepEqual(sweeps(), []);
});

test('a folder in the place of a file is 65, in one sentence', (t) => {
  const { drill, dir, lab } = prepared(t);
  const folder = join(dir, 'folder.yaml');
  mkdirSync(folder);
  for (const words of [
    ['lab', 'receipt', 'run', '--dir', lab, '--proposal', folder, '--approve'],
    ['run', folder],
    ['replay', folder],
  ]) {
    const { code, err } = drill(...words);
    assert.equal(code, 65, words.join(' '));
    assert.match(err, /folder\.yaml is a folder, not a file\.\n$/);
  }
});

test('a pipe in the place of a file is 65 at once, whether or not anybody writes to it', (t) => {
  const { drill, dir } = bench(t);
  const pipe = join(dir, 'pipe.yaml');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  for (const verb of ['run', 'replay']) {
    const { code, err } = drill(verb, pipe);
    assert.equal(code, 65, verb);
    assert.match(err, /pipe\.yaml is a pipe or a device, not a file\.\n$/);
  }
});

test('a database with its pages gone is 66 in one sentence, from every command', (t) => {
  const { drill, lab } = prepared(t);
  truncateSync(join(lab, 'lab.sqlite'), 4096);
  for (const command of ['plan', 'recover', 'forget']) {
    const { code, err } = drill('lab', 'receipt', command, '--dir', lab);
    assert.equal(code, 66, command);
    assertSentence(err);
  }
});

test('a report that cannot be written after all is said, and swallows no verdict', (t) => {
  const { drill } = bench(t);
  const end = drill('run', 'receipt/not-approved', '--json', '--junit', '/dev/full');
  assert.equal(end.code, 74);
  assert.equal(JSON.parse(end.out).verdict, 'holds');
  assertSentence(end.err);
});

test('a reader that has seen enough ends the command line without a stack', async () => {
  const child = spawn(process.execPath, [bin, 'list'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  assert.equal(code, 141);
  assert.equal(err, '');
});

test('a scenario file of one’s own runs; each fault in one is told with file, line and column', (t) => {
  const { drill, file } = bench(t);
  const good = readFileSync(
    join(projectRoot(), 'lib', 'labs', 'receipt', 'scenarios', 'lost-ack.yaml'),
    'utf8',
  );
  const own = file('own.yaml', good);
  assert.equal(drill('run', own).code, 0);
  const { code, err } = drill('run', file('bad.yaml', good.replace('command: recover', 'comand: recover')));
  assert.equal(code, 65);
  assert.match(err, /bad\.yaml:\d+:\d+ steps\.\d+\.comand: there is no key "comand" here/);
});

test('a scenario of one’s own in the data directory is listed and run by its id; what is broken there is told', (t) => {
  const { data, drill } = bench(t);
  const builtIn = join(projectRoot(), 'lib', 'labs', 'receipt', 'scenarios', 'not-approved.yaml');
  const folder = join(data, 'scenarios', 'receipt');
  mkdirSync(folder, { recursive: true });
  const mine = readFileSync(builtIn, 'utf8').replace('receipt/not-approved', 'receipt/my-good');
  writeFileSync(join(folder, 'my-good.yaml'), mine);
  writeFileSync(join(data, 'scenarios', 'stray.yaml'), mine);
  const list = drill('list');
  assert.equal(list.code, 0);
  assert.match(list.out, /^ {2}receipt\/my-good +yours: Nobody approved it$/m);
  assert.match(list.err, /^stray\.yaml:1:1 nothing is read from here/);
  const labs = JSON.parse(drill('list', '--json').out) as { scenarios: { id: string; yours: boolean }[] }[];
  const all = labs.flatMap(({ scenarios }) => scenarios);
  assert.deepEqual(
    all.filter(({ yours }) => yours).map(({ id }) => id),
    ['receipt/my-good'],
  );
  assert.equal(drill('run', 'receipt/my-good').code, 0);
  assert.equal(drill('run', 'receipt/nothing').code, 64);
});

test('a verdict is the exit code: 0 holds, 1 violated, 2 unknown', (t) => {
  const { drill, file } = bench(t);
  const good = readFileSync(
    join(projectRoot(), 'lib', 'labs', 'receipt', 'scenarios', 'lost-ack.yaml'),
    'utf8',
  );
  assert.equal(drill('run', 'receipt/lost-ack').code, 0);
  const wrong = good.replace(/checks:\n/, 'checks:\n  - { at: end, panel: receipts, count: 2 }\n');
  assert.equal(drill('run', file('wrong.yaml', wrong)).code, 1);
  const missing = good.replace(
    /checks:\n/,
    'checks:\n  - { at: end, panel: receipts, row: nobody, cell: version, equals: 2 }\n',
  );
  const run = drill('run', file('missing.yaml', missing));
  assert.equal(run.code, 1);
  assert.match(run.out, /no row nobody; there are: /);
  // A fault that no executor reaches: nothing was proven.
  const unreached = good.replace('label: init,', 'label: init, fault: { at: after-target },');
  const unknown = drill('run', file('unreached.yaml', unreached), '--json');
  assert.equal(unknown.code, 2, unknown.out.slice(0, 400));
});

test('run --json has the members that the design names', (t) => {
  const { drill } = bench(t);
  const run = JSON.parse(drill('run', 'receipt/lost-ack', '--json').out);
  for (const key of ['run', 'scenario', 'verdict', 'steps', 'checks', 'invariants'])
    assert.ok(key in run, key);
  assert.equal(run.run, null);
  for (const key of ['label', 'command', 'exit', 'fault', 'reply', 'evidence'])
    assert.ok(key in run.steps[2], key);
  assert.deepEqual(run.steps[2].exit, { code: 86, signal: null });
  const report = join(tempDir(t), 'junit.xml');
  assert.equal(drill('run', 'receipt/lost-ack', '--junit', report).code, 0);
  assert.match(readFileSync(report, 'utf8'), /<testsuite name="drill" tests="1" failures="0" errors="0">/);
});

test('a run kept is in the store of the dashboard, under the id that it prints', (t) => {
  const { drill, data } = bench(t);
  const run = JSON.parse(drill('run', 'receipt/lost-ack', '--keep', '--json').out);
  assert.match(run.run, /^r/);
  assert.ok(existsSync(join(data, 'runs', run.run)));
});

test('a reader that goes away leaves no temporary directory behind', (t) => {
  const dir = tempDir(t);
  const script = '"$0" "$1" run --all --lab receipt | head -1';
  const env = { ...process.env, TMPDIR: dir, DRILL_DATA_DIR: join(dir, 'data') };
  const end = spawnSync('bash', ['-c', script, process.execPath, bin], { env, encoding: 'utf8' });
  assert.match(end.stdout, /^holds/);
  assert.deepEqual(
    readdirSync(dir).filter((name) => name.startsWith('drill-')),
    [],
  );
});

test('a counterexample that holds names what it violates, in text and in JUnit', (t) => {
  const { drill, dir } = bench(t);
  const report = join(dir, 'junit.xml');
  const end = drill('run', 'forgotten-ledger', '--quiet', '--junit', report);
  assert.equal(end.code, 0, end.err);
  assert.match(end.out, /one-effect-one-intent.* is violated since step "again", as declared: 2 effects/);
  assert.match(readFileSync(report, 'utf8'), /<system-out>.*one-effect-one-intent/);
});
