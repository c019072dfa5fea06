/** Starts the programs of a lab: a vector, no shell, a process group of its own, output bounded. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupMembers, killGroup } from '../executor/processes.ts';
import { endProcessesOf } from './scratch.ts';
import { redact } from './variables.ts';

const KEEP_BYTES = 4096;
const POLL_MS = 5;
/** A group whose leader has ended in good order may still finish what it does; a crashed one may not. */
const GRACE_MS = 1_000;
const CLOSE_MS = 250;

/** How a command ended, as separate facts. */
export interface CommandEnd {
  pid: number;
  code: number | null;
  signal: string | null;
  timedOut: boolean;
  /** We stopped it, since it had done its work. */
  stopped: boolean;
  /** Why it could not be started. */
  notStarted?: string;
  /** Processes that it had left and that we ended. */
  left: number;
  /** Last kilobytes of both streams, without the values of secrets. */
  stdout: string;
  stderr: string;
}

export interface StartOptions {
  cwd: string;
  env: Record<string, string>;
  secrets: Record<string, string>;
  /** DRILL_STEP: by it we find what has left the process group. */
  step: string;
  /** Keeps the whole of standard output up to so many bytes. */
  keep?: number;
  uid?: number;
}

class Tail {
  private chunks: Buffer[] = [];
  private size = 0;
  private readonly most: number;
  overflowed = false;

  constructor(most: number) {
    this.most = most;
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size <= this.most * 2) return;
    const kept = Buffer.concat(this.chunks).subarray(-this.most);
    this.chunks = [kept];
    this.size = kept.length;
    this.overflowed = true;
  }

  text(): string {
    const all = Buffer.concat(this.chunks);
    if (all.length > this.most) this.overflowed = true;
    return all.subarray(-this.most).toString('utf8');
  }
}

const setpriv =
  process.platform === 'linux'
    ? ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => existsSync(file))
    : undefined;

const living = new Set<Running>();

/** Ends every command whose DRILL_STEP begins with a text, with its group. Does not wait. */
export function killCommandsOf(step: string): void {
  for (const running of living) if (running.step.startsWith(step)) killGroup(running.pid);
}

export class Running {
  readonly pid: number;
  /** Settles when the leader of the group has ended, or could not be started. */
  readonly exited: Promise<void>;
  ended = false;
  private readonly child: ChildProcess;
  private readonly options: StartOptions;
  private readonly out: Tail;
  private readonly err = new Tail(KEEP_BYTES);
  private readonly closed: Promise<void>;
  private failure: string | undefined;
  timedOut = false;
  stopped = false;
  left = 0;

  constructor(words: readonly string[], options: StartOptions) {
    this.options = options;
    this.out = new Tail(options.keep ?? KEEP_BYTES);
    const [file, args] = launchWords(words, options.uid);
    this.child = spawn(file, args, {
      cwd: options.cwd,
      env: { ...options.env, DRILL_STEP: options.step } as unknown as NodeJS.ProcessEnv,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.pid = this.child.pid ?? 0;
    if (this.pid > 0) living.add(this);
    this.child.stdout?.on('data', (chunk: Buffer) => this.out.add(chunk));
    this.child.stderr?.on('data', (chunk: Buffer) => this.err.add(chunk));
    this.exited = new Promise((resolve) => {
      const done = () => {
        this.ended = true;
        resolve();
      };
      this.child.once('exit', done);
      this.child.once('error', (error) => {
        this.failure = error.message;
        done();
      });
    });
    this.closed = new Promise((resolve) => {
      this.child.once('close', () => resolve());
      this.child.once('error', () => resolve());
    });
  }

  get step(): string {
    return this.options.step;
  }

  members(): number[] {
    return this.pid > 0 ? groupMembers(this.pid) : [];
  }

  kill(): void {
    if (this.pid > 0) killGroup(this.pid);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** To the whole group, as a terminal does it. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      if (this.pid > 0) process.kill(-this.pid, signal);
    } catch {
      // Gone already.
    }
  }

  text(): string {
    return redact(this.out.text() + this.err.text(), this.options.secrets);
  }

  /**
   * Waits for the group to be empty, ends what does not go by itself and what has left the group, and tells how the
   * leader ended. Call it when the leader has ended.
   */
  async finish(): Promise<CommandEnd> {
    const crashed = this.child.signalCode !== null || this.timedOut;
    const deadline = Date.now() + (crashed ? 0 : GRACE_MS);
    while (this.members().length > 0 && Date.now() < deadline) await sleep(POLL_MS);
    for (let members = this.members(); members.length > 0; members = this.members()) {
      if (!crashed) this.left += members.length;
      this.kill();
      await sleep(POLL_MS);
    }
    this.left += endProcessesOf(this.options.step);
    await Promise.race([this.closed, sleep(CLOSE_MS, undefined, { ref: false })]);
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
    living.delete(this);
    return this.end();
  }

  /** True where standard output was longer than what was kept. */
  get overflowed(): boolean {
    return this.out.overflowed;
  }

  private end(): CommandEnd {
    const { secrets } = this.options;
    return {
      pid: this.pid,
      code: this.child.exitCode,
      signal: this.child.signalCode,
      timedOut: this.timedOut,
      stopped: this.stopped,
      ...(this.failure === undefined ? {} : { notStarted: this.failure }),
      left: this.left,
      stdout: redact(this.out.text(), secrets),
      stderr: redact(this.err.text(), secrets),
    };
  }
}

function launchWords(words: readonly string[], uid: number | undefined): [string, string[]] {
  if (!setpriv) return [words[0] as string, words.slice(1)];
  const user = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return [setpriv, [...user, '--pdeathsig', 'KILL', ...words]];
}

/** Runs a command to its end, or ends it at the deadline. Throws nothing. */
export async function runToEnd(
  words: readonly string[],
  options: StartOptions & { withinMs: number },
): Promise<CommandEnd & { overflowed: boolean }> {
  const running = new Running(words, options);
  const timer = setTimeout(() => {
    running.timedOut = true;
    running.kill();
  }, options.withinMs);
  await running.exited;
  clearTimeout(timer);
  const end = await running.finish();
  return { ...end, overflowed: running.overflowed };
}

/** One sentence that says how a command failed, or null where it ended with exit code 0 or was stopped by us. */
export function failureOf(words: readonly string[], end: CommandEnd, within: string): string | null {
  const name = `"${words.join(' ').slice(0, 80)}"`;
  const last = end.stderr.trim().split('\n').at(-1)?.slice(0, 200);
  const says = last ? ` Its last line: ${last}` : '';
  if (end.notStarted) return `${name} could not be started: ${end.notStarted}.`;
  if (end.timedOut) return `${name} had not ended after ${within} and was killed.${says}`;
  if (end.stopped) return null;
  if (end.signal) return `${name} was ended by ${end.signal}.${says}`;
  return end.code === 0 ? null : `${name} ended with exit code ${end.code}.${says}`;
}
