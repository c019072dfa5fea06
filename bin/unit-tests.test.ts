/** No test file is passed over: neither by its name, nor because it holds no test. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { projectRoot } from '../lib/core/project-root.ts';
import { tempDir } from '../lib/testing/temp-dir.ts';
import { runUnitTests, unitTestFiles } from './unit-tests.mjs';

const ONE = "import { test } from 'node:test';\ntest('one', () => {});\n";

function project(t: TestContext, files: Record<string, string>): string {
  const root = tempDir(t);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

/** Runs the tests of a project as the test command does, out of sight of the runner that runs this test. */
async function counts(root: string, full = false) {
  const { NODE_TEST_CONTEXT: context, DRILL_DATA_DIR: data } = process.env;
  delete process.env.NODE_TEST_CONTEXT;
  try {
    return await runUnitTests(root, unitTestFiles(root, full), new PassThrough().resume());
  } finally {
    if (context !== undefined) process.env.NODE_TEST_CONTEXT = context;
    if (data === undefined) delete process.env.DRILL_DATA_DIR;
    else process.env.DRILL_DATA_DIR = data;
  }
}

test('a name that would be a pattern is run as the file that it names', async (t) => {
  const names = [
    'app/[id]/a.test.ts',
    'app/[...slug]/b.test.ts',
    'app/(group)/c.test.ts',
    'lib/{x}/d.test.ts',
  ];
  const root = project(t, Object.fromEntries(names.map((name) => [name, ONE])));
  assert.deepEqual(await counts(root), { passed: 4, failed: 0, silent: [] });
});

test('a file that reports no test is one failure, whatever it ends with', async (t) => {
  const root = project(t, {
    'lib/sound.test.ts': ONE,
    'lib/empty.test.ts': '',
    'lib/leaves.test.ts': `${ONE}process.exit(0);\n`,
    'lib/throws.test.ts': `${ONE}throw new Error('before its test ran');\n`,
  });
  assert.deepEqual(await counts(root), {
    passed: 1,
    failed: 3,
    silent: ['lib/empty.test.ts', 'lib/leaves.test.ts', 'lib/throws.test.ts'],
  });
});

test('a test that fails is counted once', async (t) => {
  const fails = "import { test } from 'node:test';\ntest('no', () => { throw new Error('no'); });\n";
  const root = project(t, { 'lib/a.test.ts': fails, 'lib/b.test.ts': ONE });
  assert.deepEqual(await counts(root), { passed: 1, failed: 1, silent: [] });
});

test('what is named *.full.test.ts is run by the full command alone', async (t) => {
  const root = project(t, { 'lib/a.test.ts': ONE, 'lib/b.full.test.ts': ONE });
  assert.deepEqual(unitTestFiles(root, false), ['lib/a.test.ts']);
  assert.deepEqual(await counts(root, true), { passed: 2, failed: 0, silent: [] });
});

test('every test file of this repository lies where the test command looks', async () => {
  const { globSync } = await import('node:fs');
  const exclude = (name: string) => /^(node_modules|\.next|\.git|\.data)$/.test(name);
  assert.deepEqual(
    unitTestFiles(projectRoot(), true),
    globSync('**/*.test.ts', { cwd: projectRoot(), exclude }).sort(),
  );
});
