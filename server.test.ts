/** The server as people start it, and the sentence with which it ends where it cannot serve. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from './lib/core/project-root.ts';
import { Host, inDirectory } from './lib/operations/testing/drive.ts';

const start = join(projectRoot(), 'bin', 'start.mjs');

/** Runs a program to its end without blocking this process, which may be serving a port meanwhile. */
function ended(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

inDirectory(
  'a second server on a data directory ends with 75 and one sentence that names the first',
  async (dir) => {
    const first = new Host(dir);
    await first.must('serve');
    const { code, said } = await ended([start, '--port', '0'], { DRILL_DATA_DIR: dir });
    assert.equal(code, 75);
    assert.equal(said.trim().split('\n').length, 1, said);
    assert.match(said, new RegExp(`process ${first.child.pid}\\).*set DRILL_DATA_DIR`));
    await first.close();
  },
);

inDirectory(
  'a port in use is said before anything is built, and the data directory is given free',
  async (dir) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    // An address of nothing, and what a shell may call HOST, must not open the server to the network.
    for (const host of [[], ['--host', '']]) {
      const env = { DRILL_DATA_DIR: dir, HOST: '0.0.0.0', PORT: '' };
      const { code, said } = await ended([start, '--port', String(port), ...host], env);
      assert.equal(code, 75);
      assert.match(
        said,
        new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use\\. Stop what uses it, or .*--port`),
      );
    }
    other.close();
    const next = new Host(dir);
    await next.must('serve');
    await next.close();
  },
);

inDirectory('a data directory that cannot be written is named', async (dir) => {
  writeFileSync(join(dir, 'file'), '');
  const { code, said } = await ended([start, '--port', '0'], { DRILL_DATA_DIR: join(dir, 'file', 'data') });
  assert.equal(code, 74);
  assert.match(said, /^The data directory .* cannot be used: .*set DRILL_DATA_DIR/);
  assert.equal(said.trim().split('\n').length, 1, said);
});

test('an address that is none is refused with 64', async () => {
  for (const args of [
    ['--port', 'x'],
    ['--port', '70000'],
    ['--prot', '1'],
  ]) {
    const { code, said } = await ended([start, ...args]);
    assert.equal(code, 64, args.join(' '));
    assert.equal(said.trim().split('\n').length, 1, said);
  }
});

for (const program of ['start', 'drill', 'test']) {
  test(`bin/${program}.mjs ends on an old Node with one sentence and 64`, async () => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); await import('./bin/${program}.mjs');`;
    const { code, said } = await ended(['--input-type=module', '-e', pretend]);
    assert.equal(code, 64);
    assert.match(said, /^Node 20\.20\.2 is too old: this program needs 22\.18 or newer\..*\n$/);
  });
}
