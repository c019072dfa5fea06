import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { labs } from '../labs/registry.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { executorEnv, type Started, startExecutor } from './launch.ts';
import { Pool } from './pool.ts';
import { isAlive } from './processes.ts';

const LAB = 'receipt';
const request = (dir: string, command = 'inspect') => ({
  lab: LAB,
  command,
  args: {},
  dir,
  control: null,
  now: 0,
  without: [],
  owner: process.pid,
});

async function serve(started: Started, dir: string, command?: string) {
  started.request(request(dir, command));
  return started.end;
}

const descriptors = () => readdirSync('/proc/self/fd').length;
function children(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid))
    .filter((pid) => parentOf(pid) === process.pid);
}
function parentOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

test('a pool holds its size, and each executor serves one request and ends', async (t) => {
  const dir = tempDir(t);
  const pool = new Pool({ size: 2 });
  t.after(() => pool.close());
  await pool.warm(LAB);
  const before = pool.waiting();
  assert.equal(before.length, 2);
  const taken = await pool.take(LAB);
  assert.ok(before.includes(taken.pid), 'one that waited');
  const end = await serve(taken, dir, 'init');
  assert.equal(end.code, 0);
  assert.equal(isAlive(taken.pid, taken.startTime), false);
  await pool.warm();
  assert.equal(pool.waiting().length, 2);
  assert.ok(!pool.waiting().includes(taken.pid));
});

test('an executor that dies waiting is replaced', async (t) => {
  const pool = new Pool({ size: 2 });
  t.after(() => pool.close());
  await pool.warm(LAB);
  const [first] = pool.waiting() as [number, number];
  process.kill(first, 'SIGKILL');
  // A signal is on its way for a moment; from its death on nobody is given that process.
  while (isAlive(first, '')) await new Promise((resolve) => setImmediate(resolve));
  const taken = await pool.take(LAB);
  assert.notEqual(taken.pid, first, 'a dead one is never given');
  assert.equal((await serve(taken, tempDir(t), 'init')).code, 0);
  while (pool.waiting().includes(first)) await new Promise((resolve) => setImmediate(resolve));
  await pool.warm();
  assert.equal(pool.waiting().length, 2);
});

test('executors that cannot live are started ever more seldom, and a take says what is wrong', async (t) => {
  let starts = 0;
  const pool = new Pool({
    size: 1,
    start: async () => {
      starts += 1;
      throw new Error('no process left');
    },
  });
  t.after(() => pool.close());
  await assert.rejects(pool.take(LAB), /no process left/);
  await assert.rejects(pool.take(LAB), /no process left/);
  assert.ok(starts <= 4, `${starts} starts`);
  assert.equal(pool.waiting().length, 0);
});

test('an executor is never given to another lab than the one that it has loaded', async (t) => {
  const loaded = new Map<number, string | null>();
  const pool = new Pool({
    size: 2,
    start: async (lab) => {
      const started = await startExecutor(lab);
      loaded.set(started.pid, lab);
      return started;
    },
  });
  t.after(() => pool.close());
  await pool.warm(LAB);
  const other = await pool.take('outbox');
  assert.equal(loaded.get(other.pid), 'outbox');
  other.signal('SIGKILL');
  await pool.warm();
  assert.deepEqual(
    pool
      .waiting()
      .map((pid) => loaded.get(pid))
      .sort(),
    ['outbox', LAB],
    'one for each of the last two requests',
  );
});

test('500 steps leave no process and no file descriptor behind', async (t) => {
  const dir = tempDir(t);
  const pool = new Pool({ size: 2 });
  t.after(() => pool.close());
  await pool.warm(LAB);
  assert.equal((await serve(await pool.take(LAB), dir, 'init')).code, 0);
  await pool.warm();
  const before = { descriptors: descriptors(), children: children().length };
  const lane = async () => {
    for (let step = 0; step < 250; step += 1) await serve(await pool.take(LAB), dir, 'plan');
  };
  await Promise.all([lane(), lane()]);
  await pool.warm();
  assert.deepEqual({ descriptors: descriptors(), children: children().length }, before);
});

test('a closed pool leaves no process', async () => {
  const pool = new Pool({ size: 2 });
  await pool.warm(LAB);
  const pids = pool.waiting();
  await pool.close();
  assert.deepEqual(
    pids.filter((pid) => isAlive(pid, '')),
    [],
  );
});

test('an owner that is killed leaves none of its waiting executors behind', async () => {
  const source = `
    const { Pool } = await import(${JSON.stringify(join(projectRoot(), 'lib/executor/pool.ts'))});
    const pool = new Pool({ size: 2 });
    await pool.warm('receipt');
    console.log(JSON.stringify(pool.waiting()));
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  const pids = JSON.parse(line) as number[];
  assert.equal(pids.length, 2);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const deadline = Date.now() + 5_000;
  while (pids.some((pid) => isAlive(pid, '')) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.deepEqual(
    pids.filter((pid) => isAlive(pid, '')),
    [],
  );
});

/** Files that an executor of a lab has loaded when it waits for its request. */
async function modulesOf(lab: string): Promise<string[]> {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
  const child = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      join(projectRoot(), 'lib/executor/main.ts'),
      lab,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: executorEnv() },
  );
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text.split('\n').filter((line) => line.startsWith('file:'));
}

for (const { id: name } of labs) {
  test(`an executor of ${name} loads its own lab and nothing else`, async (t) => {
    const root = `file://${projectRoot()}/`;
    const modules = (await modulesOf(name)).map((url) => url.replace(root, ''));
    const own = new RegExp(`^lib/(core|boundary|sqlite|executor|evidence)/|^lib/labs/(${name}/|kit/|[^/]+$)`);
    const packages = /^node_modules\/(better-sqlite3|node-addon-api|@modelcontextprotocol\/sdk)\//;
    assert.ok(modules.includes(`lib/labs/${name}/commands.ts`));
    const strangers = modules.filter((file) => !own.test(file) && !packages.test(file));
    // What the MCP SDK brings is the session lab's own library.
    if (name !== 'session') assert.deepEqual(strangers, []);
    if (name !== 'session') assert.ok(modules.length <= 45, `${modules.length} modules`);
    assert.deepEqual(
      modules.filter((file) => /manifest\.ts$|\/yaml\//.test(file)),
      [],
    );
    t.diagnostic(`${modules.length} modules`);
  });
}
