/** What happens where the machine gives out: no file descriptors, no disk. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { isAlive } from '../executor/processes.ts';
import type { RunView } from './model.ts';
import { Host, inDirectory } from './testing/drive.ts';

const RUN = { command: 'run', args: { proposal: '$proposal', approve: true } };

async function planned(host: Host): Promise<string> {
  const { run } = await host.must<{ run: string }>('start', { lab: 'receipt' });
  await host.must('add', { run, seq: 1, step: { command: 'init' } });
  await host.must('add', { run, seq: 2, step: { command: 'plan', saves: 'proposal' } });
  return run;
}

inDirectory(
  'of a race that could not be started whole, the rest is ended, and the step says so',
  async (dir) => {
    const data = join(dir, 'data');
    const host = new Host(data);
    const run = await planned(host);
    // A few pipes for each executor: room for some of the eight and not for all.
    const pid = String(host.child.pid);
    const open = readdirSync(`/proc/${pid}/fd`).length;
    const limit = (files: number) =>
      spawnSync('prlimit', ['--pid', pid, `--nofile=${files}:`], { encoding: 'utf8' });
    const set = limit(open + 16);
    assert.equal(set.status, 0, set.stderr);
    const race = { executors: 8, at: 'before-intent' };
    const { view } = await host.must<{ view: RunView }>('add', { run, seq: 3, step: { ...RUN, race } });
    limit(4096);
    const record = view.steps[2];
    assert.equal(record?.state, 'failed');
    assert.match(record?.error ?? '', /^Only [1-7] of 8 executors could be started; they were ended\./);
    for (const end of record?.executors ?? []) {
      assert.ok(end.notStarted);
      assert.equal(isAlive(end.pid, ''), false, 'an executor of the race was left over');
    }
    assert.deepEqual(record?.evidence?.truth, [], 'a race that never began changed something');
    const next = await host.must<{ view: RunView }>('add', { run, seq: 4, step: RUN });
    assert.equal(next.view.steps[3]?.executors[0]?.code, 0);
    await host.close();
  },
);

/** A file system of its own, small enough to fill; null where mounting is not allowed. */
function smallDisk(at: string): (() => void) | null {
  mkdirSync(at);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', at]);
  return mount.status === 0 ? () => spawnSync('umount', ['-l', at]) : null;
}

/** Writes until the disk takes no further byte. */
function fill(at: string): string {
  const file = join(at, 'filler');
  for (let size = 1024 * 1024; size >= 256; ) {
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      size /= 2;
    }
  }
  return file;
}

/** Where nothing may be mounted, a limit on the size of files stands in: writes fail as on a full disk. */
function limitFiles(host: Host, bytes: number | 'unlimited'): void {
  const set = spawnSync('prlimit', ['--pid', String(host.child.pid), `--fsize=${bytes}:`], {
    encoding: 'utf8',
  });
  assert.equal(set.status, 0, set.stderr);
}

inDirectory(
  'a full disk fails the step, which says so; the store stays sound and the run goes on',
  async (dir) => {
    const disk = join(dir, 'disk');
    const unmount = smallDisk(disk);
    try {
      const data = join(disk, 'data');
      const boundary = 'after-step-intent';
      const faults = [{ at: boundary, hit: 3, action: 'hold' as const }];
      const host = new Host(data, { control: join(dir, 'control'), faults });
      const run = await planned(host);
      host.send('add', { run, seq: 3, step: RUN });
      await host.held(boundary);
      const filler = unmount ? fill(disk) : null;
      if (!unmount) limitFiles(host, 4096);
      host.release(boundary, 3);
      const answer = await host.answer<{ view: RunView }>();
      const failed = answer?.ok?.view.steps[2];
      assert.equal(failed?.state, 'failed', JSON.stringify(answer));
      assert.match(failed?.error ?? '', /could not be/);
      const meanwhile = await host.ask('add', { run, seq: 4, step: { command: 'inspect' } });
      assert.equal(meanwhile?.code, 'unavailable', 'a step followed one that has no record');

      if (filler) rmSync(filler);
      else limitFiles(host, 'unlimited');
      const { view } = await host.must<{ view: RunView }>('add', {
        run,
        seq: 4,
        step: { ...RUN, label: 'later' },
      });
      assert.equal(view.steps[2]?.state, 'failed');
      assert.equal(view.steps[3]?.executors[0]?.code, 0);
      assert.equal(view.steps[3]?.evidence?.truth.length, 1);
      await host.close();
      const db = new Database(join(data, 'dashboard.sqlite'), { readonly: true });
      assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
      assert.equal(db.prepare('SELECT state FROM steps WHERE seq = 3').pluck().get(), 'failed');
      db.close();
    } finally {
      unmount?.();
    }
  },
);
