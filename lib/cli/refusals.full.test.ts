/** What the command line refuses, says of a refusal, and leaves as it was. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bench, bin, prepared } from './testing/bench.ts';

test('a directory of another dashboard, a file, and no directory at all are refused', (t) => {
  const { drill, dir } = bench(t);
  mkdirSync(join(dir, 'other', 'runs', 'r1'), { recursive: true });
  writeFileSync(join(dir, 'other', 'dashboard.sqlite'), 'of a dashboard that this shell does not know');
  writeFileSync(join(dir, 'file'), 'x');
  for (const [named, why] of [
    [join(dir, 'other', 'runs', 'r1'), /belongs to the dashboard/],
    [join(dir, 'file'), /is a file; --dir takes a directory/],
    ['', /names no directory/],
  ] as const) {
    const { code, err } = drill('lab', 'receipt', 'init', '--dir', named);
    assert.equal(code, 64, err);
    assert.match(err, why);
    assert.equal(err.trim().split('\n').length, 1, err);
  }
  assert.deepEqual(readdirSync(join(dir, 'other', 'runs', 'r1')), []);
  assert.equal(existsSync(join(dir, 'lab.sqlite')), false);
});

test('a refusal says definite to whoever reads JSON, and what is wrong in words', (t) => {
  const { drill, lab, file } = bench(t);
  const text = file('proposal.json', 'no JSON');
  for (const [words, code, error, why] of [
    [
      ['lab', 'receipt', 'run', '--dir', lab, '--proposal', text],
      65,
      'malformed',
      /what is in .*proposal\.json is not JSON/,
    ],
    [
      ['lab', 'receipt', 'plan', '--dir', lab, '--value', 'yes'],
      65,
      'malformed',
      /--value takes true or false, not "yes"/,
    ],
    [['lab', 'receipt', 'init', '--dir', lab, '--now', ''], 65, 'malformed', /whole number of ticks/],
    [['lab', 'receipt', 'dance', '--dir', lab], 64, 'usage', /no command "dance"; there are: init/],
    [['run', 'receipt/nothing', '--json'], 64, 'not-found', /no scenario/],
  ] as const) {
    const end = drill(...words);
    assert.equal(end.code, code, end.err);
    assert.match(end.err, why);
    const reply = JSON.parse(end.out);
    assert.deepEqual([reply.status, reply.error, reply.definite], ['refused', error, true]);
    assert.match(reply.message, why);
  }
});

test('what became of a fault is said: a death leaves no reply, a boundary not reached leaves nothing', (t) => {
  const { drill, lab, file, proposal } = prepared(t);
  const path = file('proposal.json', JSON.stringify(proposal));
  const run = (fault: string) =>
    drill('lab', 'receipt', 'run', '--dir', lab, '--proposal', path, '--approve', '--fault', fault);
  assert.match(run('after-target:kill').err, /^Died at after-target, as asked; there is no reply\.$/m);
  assert.match(run('after-target').err, /^The fault at after-target was never reached\.$/m);
});

test('a document with a rule off that the lab has not is refused', (t) => {
  const { drill } = bench(t);
  const { code, err } = drill('oracle', 'session', '--without', 'nonsense');
  assert.equal(code, 64);
  assert.match(err, /no safeguard "nonsense"; there are: /);
});

test('inspect takes nothing for a database of a lab that is none, and says what it cannot open', (t) => {
  const { drill, dir, lab } = prepared(t);
  assert.equal(drill('inspect', '--dir', lab).code, 0);
  for (const content of ['', 'no database at all, whatever its name says']) {
    const odd = join(dir, `odd-${content.length}`);
    mkdirSync(odd);
    writeFileSync(join(odd, 'lab.sqlite'), content);
    assert.equal(drill('inspect', '--dir', odd).code, 66);
    assert.equal(readFileSync(join(odd, 'lab.sqlite'), 'utf8'), content);
  }
});

test('what a shell hands over in the place of a file is read; a pipe without a writer is refused', (t) => {
  const { dir, lab, proposal, drill } = prepared(t);
  writeFileSync(join(dir, 'plan.json'), JSON.stringify(proposal));
  const line = 'cat plan.json | "$0" "$1" lab receipt run --dir "$2" --approve --proposal /dev/stdin';
  const shell = ['-c', line, process.execPath, bin, lab];
  const end = spawnSync('sh', shell, { cwd: dir, encoding: 'utf8' });
  assert.equal(end.status, 0, end.stderr);
  const pipe = join(dir, 'pipe.yaml');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const { code, err } = drill('run', pipe);
  assert.equal(code, 65);
  assert.match(err, /is a pipe or a device, not a file/);
});
