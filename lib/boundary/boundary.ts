/**
 * Child side of the fault protocol (docs/protocol.md). No dependency: it runs in executors,
 * in the children that they start, and could be rewritten in any language from this file alone.
 */
import type { ChildProcess, SpawnSyncReturns } from 'node:child_process';
import { basename, dirname, join } from 'node:path';

// Not imported: that would build a facade with every export of it (core/fs.ts), and this file depends on nothing.
const { appendFileSync, existsSync, readFileSync } = process.getBuiltinModule('node:fs');

export type FaultAction = 'exit' | 'kill' | 'abort' | 'hold';
export interface Fault {
  at: string;
  hit: number;
  role: string;
  action: FaultAction;
}

const CRASH_EXIT = 86;
const POLL_MS = 2;
const hits = new Map<string, number>();
const noted = new Set<string>();
let armed: Fault[] | undefined;
let commits = 0;
let sentinel: Int32Array | undefined;

function control(): string | undefined {
  return process.env.DRILL_CONTROL || undefined;
}

/** The role of this process: `executor`, or what `spawnRole` was given. */
export function role(): string {
  return process.env.DRILL_ROLE || 'executor';
}

function faults(dir: string): Fault[] {
  if (!armed) {
    const file = join(dir, 'faults.json');
    armed = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Fault[]) : [];
  }
  return armed;
}

function trace(dir: string, line: object): void {
  appendFileSync(join(dir, 'trace.ndjson'), `${JSON.stringify(line)}\n`);
}

function pause(): void {
  sentinel ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(sentinel, 0, 0, POLL_MS);
}

/** True while the process that owns the step (server or command line) is alive and not a zombie. */
function ownerLives(): boolean {
  const owner = Number(process.env.DRILL_OWNER || 0);
  if (!owner) return true;
  try {
    process.kill(owner, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${owner}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

/**
 * Blocks this process, its event loop included, until `done` answers true. Ends the process at once when the
 * owner of the step is gone: a held child must not outlive its dashboard.
 */
export function blockUntil(done: () => boolean): void {
  let turn = 0;
  while (!done()) {
    pause();
    turn += 1;
    if (turn % 25 === 0 && !ownerLives()) process.kill(process.pid, 'SIGKILL');
  }
}

function act(fault: Fault, dir: string, hit: number): void {
  if (fault.action === 'hold') {
    trace(dir, { held: fault.at, hit, role: role(), pid: process.pid });
    const release = join(dir, `release-${process.pid}-${fault.at}-${hit}`);
    blockUntil(() => existsSync(release));
    return;
  }
  if (fault.action === 'kill') process.kill(process.pid, 'SIGKILL');
  else if (fault.action === 'abort') process.abort();
  // No exit handler, no flush, no close: what was not committed is gone.
  else (process as unknown as { reallyExit(code: number): never }).reallyExit(CRASH_EXIT);
  // SIGKILL to oneself is delivered before the call returns; this line is never reached by a living process.
  blockUntil(() => false);
}

/**
 * Marks a boundary: appends one line to the trace, then lets an armed fault act. Without `DRILL_CONTROL` it
 * costs one look-up.
 *
 * @param name a boundary declared in the lab's manifest
 */
export function boundary(name: string): void {
  const dir = control();
  if (!dir) return;
  const hit = (hits.get(name) ?? 0) + 1;
  hits.set(name, hit);
  trace(dir, { boundary: name, hit, role: role(), pid: process.pid });
  for (const fault of faults(dir)) {
    if (fault.at === name && fault.hit === hit && fault.role === role()) act(fault, dir, hit);
  }
}

/**
 * Marks a commit that has just returned.
 *
 * @param store id of the database that committed, as in the manifest
 * @param name id of the commit, as in the manifest's `commits`
 */
export function committed(store: string, name: string): void {
  commits += 1;
  const dir = control();
  if (dir) trace(dir, { commit: store, name, role: role(), pid: process.pid });
}

/**
 * The logical clock: the time given with the last release of this step, else the time at which it was started.
 * A process that was held goes on at the time of its release.
 *
 * @param started the time of the request
 */
export function clock(started: number): number {
  const dir = control();
  if (!dir) return started;
  try {
    return Number(readFileSync(join(dir, 'clock'), 'utf8'));
  } catch {
    return started;
  }
}

/** How many commits this process has made: zero means that a refusal is certainly without effect. */
export function commitCount(): number {
  return commits;
}

/** Safeguards that are off; each one that is asked for is noted in the control directory before anybody acts on it. */
class SafeguardsOff extends Set<string> {
  override has(name: string): boolean {
    const dir = control();
    if (dir && !noted.has(name)) {
      noted.add(name);
      appendFileSync(join(dir, 'asked.ndjson'), `${JSON.stringify(name)}\n`);
    }
    return super.has(name);
  }
}

/** Names of the safeguards that this step runs without. */
export function without(): ReadonlySet<string> {
  return new SafeguardsOff((process.env.DRILL_WITHOUT || '').split(',').filter(Boolean));
}

/** Forgets hits, faults and commits of a step, for an executor that serves another one. */
export function forgetStep(): void {
  hits.clear();
  noted.clear();
  armed = undefined;
  commits = 0;
}

export interface RoleOptions {
  /**
   * Ends this child alone, by SIGKILL, so that its parent can still record what it saw; in milliseconds. A child that
   * a fault holds has none: how long that lasts is for whoever holds it.
   */
  deadlineMs?: number;
  args?: string[];
  /** Written to the child's standard input (`spawnRoleSync` only). */
  input?: string;
  /** At most so many bytes are taken from the child's standard output (`spawnRoleSync` only). */
  maxBytes?: number;
}

const HANDED_ON = [
  'DRILL_CONTROL',
  'DRILL_OWNER',
  'DRILL_WITHOUT',
  'DRILL_PROGRAMS',
  'PATH',
  'NODE_COMPILE_CACHE',
  'LANG',
];

/** Environment for a lab's own child: the step's control directory, its own role. */
export function roleEnv(name: string): NodeJS.ProcessEnv {
  const env: Record<string, string> = { DRILL_ROLE: name };
  for (const key of HANDED_ON) {
    const value = process.env[key];
    if (value !== undefined) env[key] = value;
  }
  // Next's types demand NODE_ENV of every environment; an executor has none.
  return env as NodeJS.ProcessEnv;
}

/** What is run for a child whose source is `lib/labs/<lab>/<child>.ts`: the file made of it, where there is one. */
function programOf(source: string): string {
  const folder = process.env.DRILL_PROGRAMS;
  if (!folder) return source;
  const made = join(folder, basename(dirname(source)), `${basename(source, '.ts')}.cjs`);
  return existsSync(made) ? made : source;
}

function isHeld(name: string): boolean {
  const dir = control();
  return dir !== undefined && faults(dir).some((fault) => fault.action === 'hold' && fault.role === name);
}

/**
 * Runs a lab's own child to its end and returns what came back. It stays in the step's process group.
 *
 * @throws nothing for a child that fails: `status`, `signal` and `error` say what happened
 */
export function spawnRoleSync(
  name: string,
  file: string,
  options: RoleOptions = {},
): SpawnSyncReturns<string> {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  return spawnSync(process.execPath, [programOf(file), ...(options.args ?? [])], {
    input: options.input ?? '',
    encoding: 'utf8',
    env: roleEnv(name),
    timeout: isHeld(name) ? undefined : (options.deadlineMs ?? 10_000),
    killSignal: 'SIGKILL',
    maxBuffer: options.maxBytes ?? 1024 * 1024,
  });
}

/** Starts a lab's own child with pipes on its three streams. It stays in the step's process group. */
export function spawnRole(name: string, file: string, options: RoleOptions = {}): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(process.execPath, [programOf(file), ...(options.args ?? [])], {
    env: roleEnv(name),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (options.deadlineMs !== undefined && !isHeld(name)) {
    const timer = setTimeout(() => child.kill('SIGKILL'), options.deadlineMs);
    timer.unref();
    child.once('exit', () => clearTimeout(timer));
  }
  return child;
}
