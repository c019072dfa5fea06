/** Floors, single steps, the lost-acknowledgement drill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../lib/core/project-root.ts';
import { executorEnv, type Started, startExecutor } from '../lib/executor/launch.ts';
import { Pool } from '../lib/executor/pool.ts';
import { type Row, times } from './measure.ts';

async function processOf(args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: executorEnv(), cwd: projectRoot() });
  await once(child, 'exit');
}

/** One `node -e 0`, start to exit. */
export const bare = (count: number): Promise<number[]> => times(count, () => processOf(['-e', '0']));

const START =
  "const D=require('better-sqlite3');new D(require('node:path').join(require('node:os').tmpdir(),'drill-bench-'+process.pid+'.sqlite')).close();require('node:fs').rmSync(require('node:path').join(require('node:os').tmpdir(),'drill-bench-'+process.pid+'.sqlite'),{force:true})";

/** Wall time of 60 processes that load better-sqlite3 and open a database, on all cores, divided by 60. */
export async function start(count = 60): Promise<number> {
  let left = count;
  const begin = performance.now();
  const lane = async () => {
    while (left-- > 0) await processOf(['-e', START]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return (performance.now() - begin) / count;
}

function ask(started: Started, dir: string, command: string, args = {}) {
  started.request({
    lab: 'receipt',
    command,
    args,
    dir,
    control: null,
    now: 0,
    without: [],
    owner: process.pid,
  });
  return started.end;
}

/** One step of the receipt lab that commits, cold and from a full pool: request to exit seen. */
export async function steps(count: number, bareMs: number): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'drill-bench-'));
  const floor = { name: 'bare', ms: bareMs };
  const pool = new Pool();
  try {
    await ask(await startExecutor('receipt'), dir, 'init');
    const drift = (started: Started) => ask(started, dir, 'drift', { value: true });
    const cold = await times(count, async () => drift(await startExecutor('receipt')));
    await pool.warm('receipt');
    const warm = await times(
      count,
      async () => drift(await pool.take('receipt')),
      () => pool.warm(),
    );
    return [
      { measure: 'cold step, start to exit seen', values: cold, floor, goal: 2 },
      { measure: 'warm step, request to exit seen', values: warm, floor, goal: 0.35 },
    ];
  } finally {
    await pool.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The lost-acknowledgement drill as a server does it: store, processes, evidence, judgement. */
export async function drill(count: number, bareMs: number): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'drill-bench-'));
  process.env.DRILL_DATA_DIR = dir;
  const { becomeServer, retire } = await import('../lib/operations/serve.ts');
  const { startRun } = await import('../lib/operations/start-run.ts');
  const { advanceRun } = await import('../lib/operations/advance-run.ts');
  const { poolIsFull } = await import('../lib/operations/executors.ts');
  const floor = { name: 'bare', ms: bareMs };
  const once = async (pause: boolean): Promise<number> => {
    const { run } = await startRun({ scenario: 'receipt/lost-ack' });
    let spent = 0;
    await poolIsFull();
    for (let seq = 1; ; seq += 1) {
      if (pause) await poolIsFull();
      const begin = performance.now();
      const { view } = await advanceRun({ run, seq });
      spent += performance.now() - begin;
      if (!view.next) return spent;
    }
  };
  const series = async (pause: boolean) => {
    const values: number[] = [];
    for (let index = 0; index < count; index += 1) values.push(await once(pause));
    return values;
  };
  try {
    await becomeServer();
    await once(true);
    return [
      {
        measure: 'lost-ack drill in the server, a pause before each step',
        values: await series(true),
        floor,
        goal: 2.5,
      },
      { measure: 'lost-ack drill in the server, no pause', values: await series(false), floor, goal: 5 },
    ];
  } finally {
    await retire();
    rmSync(dir, { recursive: true, force: true });
  }
}
