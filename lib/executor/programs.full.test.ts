/** The files that executors run are the sources: the same evidence, no other lab, and never an older text. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { labs } from '../labs/registry.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { compiled, programsFolder, STAMP } from './programs.ts';

/** Sources in a file, as the compiler names them in front of each. */
function sourcesOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^ *\/\/ ((?:lib|node_modules)\/\S+)$/gm)].map((match) => match[1] as string);
}

for (const { id } of labs) {
  test(`the executor of ${id} is made of its own lab and nothing else`, async () => {
    assert.ok(await compiled(), 'the files were made');
    const found = sourcesOf(join(programsFolder(), id, 'executor.cjs'));
    const own = new RegExp(`^lib/(core|boundary|sqlite|executor|evidence)/|^lib/labs/(${id}/|kit/|[^/]+$)`);
    assert.ok(found.includes(`lib/labs/${id}/commands.ts`));
    assert.ok(found.includes(`lib/labs/${id}/damage.ts`));
    const libraries = found.filter((file) => file.startsWith('node_modules/'));
    if (id !== 'session') assert.deepEqual(libraries, []);
    const strangers = found.filter((file) => !libraries.includes(file) && !own.test(file));
    assert.deepEqual(strangers, []);
    assert.deepEqual(
      found.filter((file) => /manifest\.ts$|\/yaml\//.test(file)),
      [],
    );
  });
}

/** Runs a scenario in a process of its own and returns its evidence, without what differs from run to run. */
function evidenceOf(scenario: string, root: string, env: Record<string, string>): unknown {
  const drill = [join(root, 'bin', 'drill.mjs'), 'run', scenario, '--json'];
  const { stdout, stderr, status } = spawnSync(process.execPath, drill, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DRILL_ROOT: root, NODE_ENV: 'test', ...env },
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout, (key, value) =>
    /^(pid|startTime|group|ms|.*At)$/.test(key) ? undefined : value,
  );
}

for (const scenario of [
  'receipt/lost-ack',
  'outbox/idempotent-lost-ack',
  'session/server-killed-after-commit',
]) {
  test(`${scenario} leaves the same evidence from the sources and from the files made of them`, () => {
    const root = projectRoot();
    const made = evidenceOf(scenario, root, {});
    assert.match(JSON.stringify(made), /"evidence":\{/);
    assert.deepEqual(evidenceOf(scenario, root, { DRILL_PROGRAMS: 'sources' }), made);
  });
}

/** A copy of the project that may be changed; its libraries are the same. */
function copyOfProject(t: TestContext): string {
  const root = tempDir(t);
  for (const name of ['lib', 'db', 'bin', 'package.json', 'package-lock.json']) {
    cpSync(join(projectRoot(), name), join(root, name), { recursive: true });
  }
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(join(projectRoot(), 'node_modules'))) {
    if (name !== '.cache') {
      symlinkSync(join(projectRoot(), 'node_modules', name), join(root, 'node_modules', name));
    }
  }
  return root;
}

/** What `init` of the receipt lab answers in that copy. */
function initSays(root: string): string | undefined {
  const found = JSON.stringify(evidenceOf('receipt/not-approved', root, {}));
  return /"status":"(created[^"]*)"/.exec(found)?.[1];
}

test('a changed source is what runs next; where nothing can be made of it, the sources run', (t) => {
  const root = copyOfProject(t);
  const stamp = () => {
    const folder = join(root, 'node_modules/.cache/programs');
    const [tree] = readdirSync(folder);
    return readFileSync(join(folder, String(tree), STAMP), 'utf8');
  };
  assert.equal(initSays(root), 'created');
  const first = stamp();

  const commands = join(root, 'lib/labs/kit/child.ts');
  const text = readFileSync(commands, 'utf8');
  const changed = text.replace("status: 'created'", "status: 'created-otherwise'");
  assert.notEqual(changed, text);
  writeFileSync(commands, changed);
  assert.equal(initSays(root), 'created-otherwise');
  assert.notEqual(stamp(), first);

  // Another lab can no longer be read; this one runs on, from its sources, and not from the files of before.
  const second = stamp();
  writeFileSync(commands, text);
  appendFileSync(join(root, 'lib/labs/outbox/receiver.ts'), '\n)');
  assert.equal(initSays(root), 'created');
  assert.equal(stamp(), second);
});
