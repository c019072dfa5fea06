/** Runs one command of a lab under its control directory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandEnd, Running } from './command.ts';
import type { Control } from './control.ts';
import type { Reader } from './reader-client.ts';
import { type CommandSpec, milliseconds, type Source, type UntilSpec } from './schema.ts';
import type { RunServices } from './services.ts';
import { openSource } from './sources.ts';
import { type Prepared, surroundings } from './surroundings.ts';
import { fill, fillSql } from './variables.ts';

const POLL_MS = 25;
const STOP_MS = 2_000;
const ASK_MS = 2_000;

export interface StepOptions {
  prepared: Prepared;
  source: Source;
  variant: string | null;
  spec: CommandSpec;
  run: RunServices;
  reader: Reader;
  control: Control;
  work: string;
  /** DRILL_STEP. */
  id: string;
}

/** True where the query answers what it is waited for. A store that is not there yet does not. */
async function isMet(until: UntilSpec, options: StepOptions): Promise<boolean> {
  const { spec } = options.prepared.lab;
  const store = spec.stores[until.store];
  const where =
    store?.sqlite === undefined
      ? { postgres: options.run.databases[store?.postgres as string] as string }
      : { sqlite: join(options.work, store.sqlite) };
  const sql = fillSql(until.sql, spec.operations[0] as string);
  const request = { stores: [{ id: until.store, ...where }], queries: [{ store: until.store, sql }] };
  const [answer] = (await options.reader.ask(request, ASK_MS)).answers;
  if (!answer || 'problem' in answer) return false;
  const cell = answer.rows[0]?.[0];
  return cell !== undefined && (typeof cell === 'string' ? cell : JSON.stringify(cell)) === until.equals;
}

/** Stops a command that has done its work: by its signal, then by SIGKILL. */
async function stop(running: Running, signal: NodeJS.Signals): Promise<void> {
  running.stopped = true;
  running.signalGroup(signal);
  const kill = setTimeout(() => running.kill(), STOP_MS);
  await running.exited;
  clearTimeout(kill);
}

async function wait(running: Running, options: StepOptions): Promise<void> {
  const { spec } = options;
  const within = milliseconds(spec.until?.within ?? spec.within);
  const deadline = Date.now() + within;
  const late = () => {
    running.timedOut = true;
    running.kill();
  };
  if (!spec.until) {
    const timer = setTimeout(late, within);
    await running.exited;
    clearTimeout(timer);
    return;
  }
  while (!running.ended) {
    if (await isMet(spec.until, options)) return stop(running, spec.stop as NodeJS.Signals);
    if (Date.now() >= deadline) {
      running.timedOut = true;
      return stop(running, spec.stop as NodeJS.Signals);
    }
    await Promise.race([running.exited, sleep(POLL_MS)]);
  }
}

/**
 * Runs a command until it has ended, was stopped, or a fault ended it; nothing of it lives when this returns.
 *
 * @throws DrillError where its source cannot be opened
 */
export async function runStep(options: StepOptions): Promise<{ end: CommandEnd; words: string[] }> {
  const { prepared, source, variant, spec, run, control } = options;
  const direct = surroundings(prepared, variant, run.vars(), spec.env);
  let running: Running | null = null;
  const opened = await openSource(source, {
    control: control.dir,
    endpoints: run.endpoints,
    boundaries: prepared.lab.spec.boundaries,
    nodeOptions: direct.env.NODE_OPTIONS,
    kill: () => running?.kill(),
  });
  try {
    const { env, values, secrets } = surroundings(prepared, variant, run.vars(opened.proxies), spec.env);
    const words = spec.run.map((word) => fill(word, values));
    running = new Running(words, {
      cwd: options.work,
      env: { ...env, ...opened.env, DRILL_CONTROL: control.dir, DRILL_OWNER: String(process.pid) },
      secrets: { ...secrets, ...run.secrets },
      step: options.id,
    });
    await wait(running, options);
    const end = await running.finish();
    return { end, words: spec.run };
  } finally {
    running?.kill();
    await opened.close();
    await run.sessionsGone();
  }
}
