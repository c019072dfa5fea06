/** Runs programs of a test under the hook, and reads what they left. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '#lib/core/project-root.ts';
import { tempDir } from '#lib/testing/temp-dir.ts';

export const HOOK = `--import ${pathToFileURL(join(projectRoot(), 'lib/program/hook/register.mjs')).href}`;

export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}
export interface Running {
  child: ChildProcess;
  end: Promise<End>;
}

/** A step with a control directory of its own, in a folder that finds our packages. */
export class Step {
  readonly control: string;

  readonly t: TestContext;
  readonly dir: string;

  constructor(t: TestContext, dir: string, name: string, faults: object[] = []) {
    this.t = t;
    this.dir = dir;
    this.control = join(dir, `control-${name}`);
    mkdirSync(this.control);
    writeFileSync(join(this.control, 'faults.json'), JSON.stringify(faults));
  }

  start(file: string, args: string[] = [], env: object = {}): Running {
    const variables = { PATH: process.env.PATH, NODE_OPTIONS: HOOK, DRILL_CONTROL: this.control, ...env };
    const child = spawn(process.execPath, [file, ...args], {
      cwd: this.dir,
      env: variables as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.t.after(() => child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const end = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
    return { child, end };
  }

  run(file: string, args: string[] = [], env: object = {}): Promise<End> {
    return this.start(file, args, env).end;
  }

  lines(): { boundary?: string; held?: string; hit: number; role: string; pid: number }[] {
    const file = join(this.control, 'trace.ndjson');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** `sqlite COMMIT after#1`, in order. */
  places(): string[] {
    return this.lines().flatMap(({ boundary, hit }) => (boundary ? [`${boundary}#${hit}`] : []));
  }

  async held(): Promise<{ pid: number }> {
    const changes = watch(this.control);
    try {
      for (;;) {
        const line = this.lines().find((entry) => entry.held);
        if (line) return line;
        await once(changes, 'change');
      }
    } finally {
      changes.close();
    }
  }
}

/** A folder with one program in it. */
export function programDir(t: TestContext, files: Record<string, string>): string {
  const dir = tempDir(t);
  symlinkSync(join(projectRoot(), 'node_modules'), join(dir, 'node_modules'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

export const KILLED = { code: null, signal: 'SIGKILL' };

/** How a program ended. */
export const ending = ({ code, signal }: End) => ({ code, signal });
