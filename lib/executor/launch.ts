/** Parent side: starts an executor that waits for its request, and tells how it ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { DrillError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { projectRoot } from '../core/project-root.ts';
import { groupMembers, killGroup, startTime } from './processes.ts';
import { compiled, executorProgram, programsFolder } from './programs.ts';
import type { Request } from './protocol.ts';

const KEEP_BYTES = 4096;
const REPLY_BYTES = 4 * 1024 * 1024;

export interface RawEnd {
  code: number | null;
  signal: string | null;
  reply: JsonObject | null;
  stdout: string;
  stderr: string;
  /** It answered, and waits for its next request. */
  kept?: true;
}

/** A started executor. It serves one request and ends, or waits for the next where the request says so. */
export interface Started {
  pid: number;
  startTime: string;
  /** Id of its own process group. */
  group: number;
  /** Settles when the process has ended and its streams are closed. */
  end: Promise<RawEnd>;
  /** Settles when it waits for its request with its lab loaded, or has ended before that. */
  ready: Promise<void>;
  request(request: Request): void;
  signal(signal: NodeJS.Signals): void;
  /** The same process with its next end to come, once this one's end was `kept`. */
  again(): Started;
  /** Its process outlives a step that ends in good order. */
  keeps?: boolean;
}

/** Environment of an executor: an allow-list, since NODE_OPTIONS and a framework's own variables must not reach it. */
export function executorEnv(): NodeJS.ProcessEnv {
  const env: Record<string, string> = {};
  for (const key of ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot']) {
    const value = process.env[key];
    if (value !== undefined) env[key] = value;
  }
  env.NODE_COMPILE_CACHE = join(projectRoot(), 'node_modules', '.cache', 'executor');
  // Next's types demand NODE_ENV of every environment; an executor has none.
  return env as NodeJS.ProcessEnv;
}

function setpriv(): string | null {
  if (process.platform !== 'linux') return null;
  return ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => existsSync(file)) ?? null;
}

function tail(): { add(chunk: Buffer): void; text(): string; whole(): string } {
  let kept: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      kept.push(chunk);
      size += chunk.length;
      if (size > REPLY_BYTES) {
        kept = [Buffer.concat(kept).subarray(-KEEP_BYTES)];
        size = KEEP_BYTES;
      }
    },
    text: () => Buffer.concat(kept).subarray(-KEEP_BYTES).toString('utf8'),
    whole: () => Buffer.concat(kept).toString('utf8'),
  };
}

function parseReply(text: string): JsonObject | null {
  const line = text.trimEnd();
  if (line === '' || line.includes('\n')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The answer of an executor that goes on waiting: `{"kept": {"exit": 0, "reply": {...}}}` on one line. */
function parseKept(text: string): RawEnd | null {
  if (!text.startsWith('{"kept":') || !text.endsWith('\n')) return null;
  const kept = parseReply(text)?.kept;
  if (!isObject(kept) || typeof kept.exit !== 'number' || !isObject(kept.reply)) return null;
  const stdout = `${JSON.stringify(kept.reply)}\n`;
  return { code: kept.exit, signal: null, reply: kept.reply, stdout, stderr: '', kept: true };
}

interface Watch {
  end: Promise<RawEnd>;
  again(): Watch;
}

function watch(child: ChildProcess): Watch {
  let out = tail();
  let err = tail();
  let closed: [code: number | null, signal: string | null] | null = null;
  let settle: (end: RawEnd) => void = () => {};
  const told = ([code, signal]: [number | null, string | null]): RawEnd => ({
    code,
    signal,
    reply: parseReply(out.whole()),
    stdout: out.text(),
    stderr: err.text(),
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    out.add(chunk);
    const kept = chunk.at(-1) === 10 ? parseKept(out.whole()) : null;
    if (kept) settle({ ...kept, stderr: err.text() });
  });
  child.stderr?.on('data', (chunk: Buffer) => err.add(chunk));
  // A child that dies before it has read its request breaks the pipe; its exit tells the story.
  child.stdin?.on('error', () => {});
  child.once('close', (code, signal) => {
    closed = [code, signal];
    settle(told(closed));
  });
  const next = (): Watch => {
    out = tail();
    err = tail();
    const end = new Promise<RawEnd>((resolve) => {
      settle = resolve;
      if (closed) resolve(told(closed));
    });
    return { end, again: next };
  };
  return next();
}

/** The fourth stream carries nothing but its end: the executor closes it once it waits for its request. */
function readiness(child: ChildProcess): Promise<void> {
  // Out of file descriptors, Node gives a child without any streams; its error event is still to come.
  const streams = child.stdio as ChildProcess['stdio'] | undefined;
  const stream = streams?.[3] as Readable | null | undefined;
  return new Promise((resolve) => {
    stream?.on('error', () => {});
    stream?.once('close', resolve);
    stream?.resume();
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

/** Groups of the executors that this process has started and that have not ended. */
const living = new Set<number>();
const END_DEADLINE_MS = 1_000;

/**
 * Ends every executor that this process has started, with its group, and returns when they are gone: what they work
 * in can be removed then, and nobody makes it anew. Blocks, for the end of a program.
 */
export function endAllExecutors(): void {
  for (const group of living) killGroup(group);
  const deadline = Date.now() + END_DEADLINE_MS;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while ([...living].some((group) => groupMembers(group).length > 0) && Date.now() < deadline)
    Atomics.wait(pause, 0, 0, 2);
}

/** What a caller has of a started process, until its next end. */
function viewOf(
  child: ChildProcess,
  identity: Pick<Started, 'pid' | 'startTime' | 'group' | 'ready'>,
  { end, again }: Watch,
): Started {
  return {
    ...identity,
    end,
    again: () => viewOf(child, identity, again()),
    request(request) {
      // Standard input stays open: its end tells the executor that its parent is gone.
      child.stdin?.write(`${JSON.stringify(request)}\n`);
    },
    signal(signal) {
      child.kill(signal);
    },
  };
}

/**
 * Starts one executor: `spawn`, no shell, an allow-list of variables, a process group of its own, and on Linux a
 * parent-death signal, so that it cannot outlive its owner.
 *
 * @param lab loaded before the request is read; the request names its lab all the same
 * @param waits it has time until it is asked, and prepares what only some commands need
 * @throws DrillError `unavailable` (definite) where the operating system starts no process
 */
export async function startExecutor(lab?: string | null, waits = false): Promise<Started> {
  const wrapper = setpriv();
  const words = await executorProgram(lab);
  const programs = (await compiled()) ? { DRILL_PROGRAMS: programsFolder() } : {};
  const [file, args] = wrapper
    ? [wrapper, ['--pdeathsig', 'KILL', process.execPath, ...words]]
    : [process.execPath, words];
  const child = spawn(file, args, {
    detached: true,
    env: { ...executorEnv(), ...programs, DRILL_READY: '3', ...(waits ? { DRILL_WAITS: '1' } : {}) },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const watched = watch(child);
  const group = child.pid;
  if (group !== undefined) {
    living.add(group);
    child.once('close', () => living.delete(group));
  }
  const ready = readiness(child);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new DrillError('unavailable', `An executor could not be started: ${cause.message}.`, { cause })),
    );
  });
  const pid = child.pid as number;
  return viewOf(child, { pid, startTime: startTime(pid), group: pid, ready }, watched);
}
