/** Helpers for programs in other languages, and the example of docs/protocol.md: real interpreters, really killed. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { tempDir } from '../testing/temp-dir.ts';

const root = projectRoot();
const helper = (name: string) => join(root, 'public', 'helpers', name);

/** Each charges what it is given, between two boundaries, and would say so in a handler if it were let. */
const NODE = `
import { boundary } from ${JSON.stringify(`file://${helper('boundary.mjs')}`)};
import { appendFileSync } from 'node:fs';
process.on('exit', () => appendFileSync('handler', 'ran'));
for (const order of process.argv.slice(2)) {
  boundary('before-charge');
  appendFileSync('bank', order + '\\n');
  boundary('after-charge');
}`;
const PYTHON = `
import atexit, sys
sys.path.insert(0, ${JSON.stringify(join(root, 'public', 'helpers'))})
sys.dont_write_bytecode = True
from boundary import boundary
atexit.register(lambda: open("handler", "w").close())
for order in sys.argv[1:]:
    boundary("before-charge")
    with open("bank", "a") as bank: bank.write(order + "\\n")
    boundary("after-charge")`;
const SHELL = `
set -eu
. ${helper('boundary.sh')}
trap 'echo ran >handler' EXIT
IFS='
'
for order in "$@"; do
  boundary before-charge
  echo "$order" >>bank
  boundary after-charge
done`;
const PERL = /```perl\n(.*?)```/s.exec(readFileSync(join(root, 'docs', 'protocol.md'), 'utf8'))?.[1] ?? '';

const LANGUAGES = [
  { name: 'boundary.mjs', program: [process.execPath, 'program.mjs'], source: NODE },
  { name: 'boundary.py', program: ['python3', 'program.py'], source: PYTHON },
  { name: 'boundary.sh', program: ['/bin/sh', 'program.sh'], source: SHELL },
  { name: 'the example of docs/protocol.md', program: ['perl', 'program.pl'], source: PERL },
];
type Language = (typeof LANGUAGES)[number];

interface Started {
  child: ChildProcess;
  end: Promise<[number | null, NodeJS.Signals | null]>;
}

/** A step of its own: a directory, a control directory, and the program that is started in it. */
function step(t: TestContext, language: Language, faults: object[]) {
  const dir = tempDir(t);
  const control = join(dir, 'control');
  const [command, file] = language.program as [string, string];
  mkdirSync(control);
  writeFileSync(join(dir, file), language.source);
  writeFileSync(join(control, 'faults.json'), JSON.stringify(faults, null, 1));
  const lines = (file: string) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return {
    dir,
    control,
    has: (name: string) => existsSync(join(dir, name)),
    bank: () => lines(join(dir, 'bank')),
    trace: () => lines(join(control, 'trace.ndjson')).map((line) => JSON.parse(line)),
    start(orders: string[], env: object = {}, detached = false): Started {
      const variables = { PATH: process.env.PATH, DRILL_CONTROL: control, ...env };
      const child = spawn(command, [file, ...orders], {
        cwd: dir,
        env: variables as unknown as NodeJS.ProcessEnv,
        detached,
      });
      t.after(() => child.kill('SIGKILL'));
      child.stdout?.setEncoding('utf8');
      child.stderr?.pipe(process.stderr);
      return { child, end: once(child, 'exit') as Started['end'] };
    },
  };
}

/** Settles when the trace says that a process is held. */
async function held(of: ReturnType<typeof step>): Promise<{ pid: number; hit: number }> {
  const changes = watch(of.control);
  try {
    for (;;) {
      const line = of.trace().find((entry) => entry.held);
      if (line) return line;
      await once(changes, 'change');
    }
  } finally {
    changes.close();
  }
}

const END = { exit: [86, null], kill: [null, 'SIGKILL'], abort: [null, 'SIGABRT'] };

for (const language of LANGUAGES) {
  for (const [action, end] of Object.entries(END)) {
    test(`${language.name}: ${action} ends the process at the second hit, with no handler run, once a step`, async (t) => {
      const of = step(t, language, [
        { at: 'pg COMMIT after', action: 'kill' },
        { at: 'after-charge', hit: 2, action: 'lose-reply' },
        { at: 'after-charge', hit: 2, role: 'executor', action },
      ]);
      const first = of.start(['o-1', 'o-2', 'o-3']);
      assert.deepEqual(await first.end, end);
      assert.deepEqual(of.bank(), ['o-1', 'o-2']);
      assert.ok(!of.has('handler'));
      const { pid } = first.child;
      const passed = [1, 2].flatMap((hit) =>
        ['before-charge', 'after-charge'].map((boundary) => ({ boundary, hit, role: 'executor', pid })),
      );
      assert.deepEqual(of.trace(), passed);
      assert.ok(existsSync(join(of.control, 'fired-2')) && !existsSync(join(of.control, 'fired-1')));
      // The same place again, in another process: the fault is over.
      assert.deepEqual(await of.start(['o-4', 'o-5']).end, [0, null]);
      assert.deepEqual(of.bank(), ['o-1', 'o-2', 'o-4', 'o-5']);
    });
  }

  test(`${language.name}: a fault for another role does not fire, one without a role fires in any`, async (t) => {
    const of = step(t, language, [
      { at: 'before-charge', role: 'relay', action: 'exit' },
      { at: 'after-charge', action: 'exit' },
    ]);
    assert.deepEqual(await of.start(['o-1'], { DRILL_ROLE: 'worker' }).end, [86, null]);
    assert.deepEqual(of.bank(), ['o-1']);
    assert.deepEqual(
      of.trace().map(({ role }) => role),
      ['worker', 'worker'],
    );
  });

  test(`${language.name}: a held process goes on when it is released, and not before`, async (t) => {
    const of = step(t, language, [{ at: 'before-charge', action: 'hold' }]);
    const first = of.start(['o-1'], { DRILL_OWNER: String(process.pid) });
    const { pid, hit } = await held(of);
    assert.equal(pid, first.child.pid);
    // Another process passes the place: the fault has fired.
    assert.deepEqual(await of.start(['o-2']).end, [0, null]);
    assert.deepEqual(of.bank(), ['o-2']);
    writeFileSync(join(of.control, `release-${pid}-before-charge-${hit}`), '');
    assert.deepEqual(await first.end, [0, null]);
    assert.deepEqual(of.bank(), ['o-2', 'o-1']);
  });

  test(`${language.name}: a held process ends when its owner is gone`, async (t) => {
    const of = step(t, language, [{ at: 'before-charge', action: 'hold' }]);
    const owner = spawn('sleep', ['1000']);
    t.after(() => owner.kill('SIGKILL'));
    const first = of.start(['o-1'], { DRILL_OWNER: String(owner.pid) });
    await held(of);
    owner.kill('SIGKILL');
    assert.deepEqual(await first.end, [null, 'SIGKILL']);
    assert.deepEqual(of.bank(), []);
  });

  test(`${language.name}: without DRILL_CONTROL nothing happens`, async (t) => {
    const of = step(t, language, [{ at: 'before-charge', action: 'kill' }]);
    assert.deepEqual(await of.start(['o-1'], { DRILL_CONTROL: '' }).end, [0, null]);
    assert.deepEqual(of.bank(), ['o-1']);
    assert.deepEqual(of.trace(), []);
  });
}

/** Runs a line of a shell that leads a group, with the program as its arguments, and returns what it printed. */
async function inGroup(of: ReturnType<typeof step>, language: Language, line: string): Promise<string> {
  const shell = spawn('/bin/sh', ['-c', line, 'sh', ...language.program, 'o-1'], {
    cwd: of.dir,
    env: { PATH: process.env.PATH, DRILL_CONTROL: of.control } as unknown as NodeJS.ProcessEnv,
    detached: true,
  });
  let said = '';
  shell.stdout.on('data', (text) => {
    said += text;
  });
  // Its output is open for as long as anything of the group lives.
  await once(shell, 'close');
  return said;
}

for (const language of LANGUAGES) {
  test(`${language.name}: kill takes the group along where the process leads it, and only there`, async (t) => {
    const fault = { at: 'before-charge', action: 'kill' };
    const leads = step(t, language, [fault]);
    assert.equal(await inGroup(leads, language, 'sleep 1000 & exec "$@"'), '');
    const follows = step(t, language, [fault]);
    assert.equal(await inGroup(follows, language, '"$@" & wait; echo survived'), 'survived\n');
  });
}

test('the example of docs/protocol.md answers with exit code and reply', async (t) => {
  const language = LANGUAGES.at(-1) as Language;
  const of = step(t, language, [{ at: 'after-charge', action: 'kill' }]);
  const ask = async (orders: string[]) => {
    const { child, end } = of.start(orders);
    let said = '';
    child.stdout?.on('data', (text) => {
      said += text;
    });
    const [code] = await end;
    return { code, reply: said === '' ? null : JSON.parse(said) };
  };
  assert.deepEqual(await ask([]), {
    code: 64,
    reply: { message: 'Say which orders to charge.', definite: true },
  });
  assert.deepEqual(await ask(['o-1']), { code: null, reply: null });
  assert.deepEqual(await ask(['o-1']), { code: 0, reply: { effect: 'confirmed', decision: 'reconcile' } });
  assert.deepEqual(await ask(['o-2']), { code: 0, reply: { effect: 'confirmed', decision: 'none' } });
  assert.deepEqual(of.bank(), ['o-1', 'o-2']);
});

test('every helper is shorter than 40 lines and loads nothing of anybody', () => {
  for (const name of ['boundary.mjs', 'boundary.py', 'boundary.sh']) {
    const text = readFileSync(helper(name), 'utf8');
    assert.ok(text.trimEnd().split('\n').length < 40, name);
    const imported = [...text.matchAll(/from '([^']+)'/g)].map((match) => match[1]);
    assert.ok(
      imported.every((from) => from?.startsWith('node:') || from?.startsWith('./boundary')),
      name,
    );
  }
});
