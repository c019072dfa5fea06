import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { tempDir } from '../testing/temp-dir.ts';
import type { Fault } from './boundary.ts';

const module = join(import.meta.dirname, 'boundary.ts');

/** A child that passes the boundary `here` twice, with handlers that would betray an orderly exit. */
function child(t: TestContext, faults: Fault[], role?: string) {
  const dir = mkdtempSync(join(tempDir(t), 'child-'));
  const control = join(dir, 'control');
  mkdirSync(control, { recursive: true });
  writeFileSync(join(control, 'faults.json'), JSON.stringify(faults));
  const file = join(dir, 'child.ts');
  const handler = join(dir, 'handler-ran');
  writeFileSync(
    file,
    `import { writeFileSync } from 'node:fs';
     import { boundary, committed } from ${JSON.stringify(module)};
     process.on('exit', () => writeFileSync(${JSON.stringify(handler)}, ''));
     committed('store', 'first');
     boundary('here');
     boundary('here');
     process.stdout.write('passed');`,
  );
  const env = { ...process.env, DRILL_CONTROL: control, ...(role ? { DRILL_ROLE: role } : {}) };
  const end = spawnSync(process.execPath, [file], { env, encoding: 'utf8' });
  const trace = join(control, 'trace.ndjson');
  const lines = existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : [];
  return { end, handlerRan: existsSync(handler), trace: lines.map((line) => JSON.parse(line)) };
}

test('without a fault a boundary is passed and leaves one line in the trace', (t) => {
  const { end, trace, handlerRan } = child(t, []);
  assert.equal(end.status, 0);
  assert.equal(end.stdout, 'passed');
  assert.ok(handlerRan);
  assert.deepEqual(
    trace.map(({ pid, ...rest }) => rest),
    [
      { commit: 'store', name: 'first', role: 'executor' },
      { boundary: 'here', hit: 1, role: 'executor' },
      { boundary: 'here', hit: 2, role: 'executor' },
    ],
  );
});

test('exit leaves at once with 86: no exit handler runs, nothing more is printed', (t) => {
  const { end, handlerRan, trace } = child(t, [{ at: 'here', hit: 1, role: 'executor', action: 'exit' }]);
  assert.equal(end.status, 86);
  assert.equal(end.stdout, '');
  assert.equal(handlerRan, false);
  assert.equal(trace.length, 2);
});

test('kill is SIGKILL and abort is SIGABRT', (t) => {
  const killed = child(t, [{ at: 'here', hit: 1, role: 'executor', action: 'kill' }]);
  assert.equal(killed.end.signal, 'SIGKILL');
  assert.equal(killed.handlerRan, false);
  const aborted = child(t, [{ at: 'here', hit: 1, role: 'executor', action: 'abort' }]);
  assert.equal(aborted.end.signal, 'SIGABRT');
  assert.equal(aborted.handlerRan, false);
});

test('a fault acts on its own hit and in its own role alone', (t) => {
  const second = child(t, [{ at: 'here', hit: 2, role: 'executor', action: 'exit' }]);
  assert.equal(second.end.status, 86);
  assert.equal(second.trace.filter((line) => line.boundary).length, 2);
  const third = child(t, [{ at: 'here', hit: 3, role: 'executor', action: 'exit' }]);
  assert.equal(third.end.status, 0);
  const other = child(t, [{ at: 'here', hit: 1, role: 'receiver', action: 'exit' }]);
  assert.equal(other.end.status, 0);
  const own = child(t, [{ at: 'here', hit: 1, role: 'receiver', action: 'exit' }], 'receiver');
  assert.equal(own.end.status, 86);
});
