/**
 * The executor: reads one request from standard input, runs one lab command, prints one reply, ends.
 * Loads its own lab and nothing else, before the request where its first word names the lab. Arguments were
 * validated by the parent.
 */

import { clock, forgetStep, without } from '../boundary/boundary.ts';
import { DrillError } from '../core/errors.ts';
import { closeSync, readSync, writeOut } from '../core/fs.ts';
import type { Commands, Outcome } from '../labs/child.ts';
import { failure } from './failure.ts';
import type { Request } from './protocol.ts';

/** Blocks until one whole line has arrived. Null at the end of input: the parent is gone, so leave. */
function readLine(): string | null {
  const chunk = Buffer.alloc(64 * 1024);
  const parts: Buffer[] = [];
  for (;;) {
    let count: number;
    try {
      count = readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') continue;
      return null;
    }
    if (count === 0) return null;
    const end = chunk.subarray(0, count).indexOf(10);
    parts.push(Buffer.from(chunk.subarray(0, end === -1 ? count : end)));
    if (end !== -1) return Buffer.concat(parts).toString('utf8');
  }
}

const LAB = /^[a-z][a-z-]*$/;

/** What only some commands need, and what a first use costs: for an executor that has time until it is asked. */
async function prepareAtLeisure(): Promise<void> {
  process.getBuiltinModule('node:crypto');
  const { warmSqlite } = await import('../sqlite/warm.ts');
  warmSqlite();
}

/** Where nobody reads the reply any more, the exit code still tells. */
function answer(text: string): void {
  try {
    writeOut(text);
  } catch {}
}

/** Loads a lab's module: from its source, or from the file that holds this program and that lab. */
export type LoadModule = (lab: string, module: 'commands' | 'damage') => Promise<{ commands: Commands }>;

/** Loads what the request will need, so that an executor that was started early answers at once. */
async function prepare(lab: string | undefined, load: LoadModule): Promise<void> {
  try {
    await import('../sqlite/open.ts');
    if (lab && LAB.test(lab)) await load(lab, 'commands');
    if (process.env.DRILL_WAITS === '1') await prepareAtLeisure();
  } catch {
    // The request's own load says what is wrong.
  }
  // Only where the parent says that the stream is there: otherwise the number belongs to somebody else.
  if (process.env.DRILL_READY === '3') closeSync(3);
  delete process.env.DRILL_READY;
  delete process.env.DRILL_WAITS;
}

async function carryOut(request: Request, load: LoadModule): Promise<Outcome> {
  if (request.control) process.env.DRILL_CONTROL = request.control;
  else delete process.env.DRILL_CONTROL;
  process.env.DRILL_OWNER = String(request.owner);
  process.env.DRILL_WITHOUT = request.without.join(',');
  if (!LAB.test(request.lab)) throw new DrillError('usage', `"${request.lab}" is no lab.`);
  const context = {
    dir: request.dir,
    args: request.args,
    get now() {
      return clock(request.now);
    },
    without: without(),
  };
  const module = request.damage ? 'damage' : 'commands';
  const { commands } = await load(request.lab, module);
  const command = Object.hasOwn(commands, request.command) ? commands[request.command] : undefined;
  if (!command) throw new DrillError('usage', `Lab ${request.lab} has no command "${request.command}".`);
  if (request.damage) context.args = { ...context.args, from: request.damage.from };
  return await command(context);
}

/** Serves one request and ends this process; where the request says so, it waits for the next one after a good end. */
export async function serveOne(lab: string | undefined, load: LoadModule): Promise<void> {
  await prepare(lab, load);
  for (let line = readLine(); line !== null; line = readLine()) {
    let outcome: Outcome;
    let keep = false;
    try {
      const request = JSON.parse(line) as Request;
      outcome = await carryOut(request, load);
      keep = request.keep === true;
    } catch (error) {
      outcome = await failure(error);
    }
    const { exit, reply } = outcome;
    if (!keep) {
      answer(`${JSON.stringify(reply)}\n`);
      process.exit(exit);
    }
    forgetStep();
    answer(`${JSON.stringify({ kept: { exit, reply } })}\n`);
  }
}
