/** Where boundaries come from: calls in the program, our hook in Node, or proxies before its services. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DrillError } from '../core/errors.ts';
import { projectRoot } from '../core/project-root.ts';
import { runToEnd } from './command.ts';
import type { Action, TraceLine } from './control.ts';
import type { Address } from './postgres.ts';
import { findProgram } from './references.ts';
import type { ProgramSpec, Source } from './schema.ts';
import type { Endpoint } from './services.ts';

const OLDEST_NODE: [number, number] = [22, 15];

/** What a source does for one step. */
export interface StepSource {
  env: Record<string, string>;
  proxies: Record<string, Address>;
  close(): Promise<void>;
}

type StartWire = (options: {
  service: string;
  kind: Endpoint['kind'];
  target: Address;
  control: string;
  include: string[];
  exclude: string[];
  kill(): void;
}) => Promise<{ port: number; close(): Promise<void> | void }>;

const wireFile = () => join(projectRoot(), 'lib', 'program', 'wire', 'wire.ts');
const hookFile = () => join(projectRoot(), 'lib', 'program', 'hook', 'register.mjs');

async function startWire(): Promise<StartWire> {
  const file = wireFile();
  return ((await import(pathToFileURL(file).href)) as { startWire: StartWire }).startWire;
}

/** Name and side of a boundary that was found by itself: `pg COMMIT after`. */
const FOUND = /^\w+ .*\b(before|after)$/s;

function glob(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${source}( before| after)?$`, 's');
}

/** True for a line of the trace that the source has written, and that the file does not exclude. */
export function isOf(
  source: Source,
  line: TraceLine,
  { include, exclude }: ProgramSpec['boundaries'],
): boolean {
  if (source === 'wire') return line.role === 'wire';
  if (line.role === 'wire') return false;
  if (source === 'node') return FOUND.test(line.boundary);
  const matches = (patterns: readonly string[]) => patterns.some((one) => glob(one).test(line.boundary));
  return !matches(exclude) && (include.length === 0 || matches(include));
}

/** What a sweep does at a boundary. */
export function actionsAt(source: Source, at: string): Action[] {
  if (source !== 'wire') return ['kill'];
  return ['kill', at.endsWith(' before') ? 'lose-request' : 'lose-reply'];
}

/**
 * Looks whether a source can be used with a lab.
 *
 * @throws DrillError `unavailable` or `usage`, in one sentence
 */
export async function requireSource(source: Source, spec: ProgramSpec): Promise<void> {
  if (source === 'wire') {
    if (Object.keys(spec.services).length === 0)
      throw new DrillError(
        'usage',
        'The source "wire" needs a service that a proxy can stand before; this file has none.',
      );
    if (!existsSync(wireFile())) throw new DrillError('unavailable', 'This version has no source "wire".');
  }
  if (source !== 'node') return;
  if (!existsSync(hookFile())) throw new DrillError('unavailable', 'This version has no source "node".');
  const node = findProgram('node');
  if (!node) throw new DrillError('unavailable', 'The source "node" needs a program "node" on PATH.');
  const options = {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    secrets: {},
    step: `node-version-${process.pid}`,
  };
  const { stdout } = await runToEnd([node, '--version'], { ...options, withinMs: 10_000 });
  const [major = 0, minor = 0] = stdout.trim().slice(1).split('.').map(Number);
  const [least, leastMinor] = OLDEST_NODE;
  if (major < least || (major === least && minor < leastMinor))
    throw new DrillError(
      'unavailable',
      `The source "node" needs Node ${least}.${leastMinor} or newer; ${node} is ${stdout.trim() || 'none'}.`,
    );
}

/** Makes a source ready for one step: variables for the program, proxies before its services. */
export async function openSource(
  source: Source,
  options: {
    control: string;
    endpoints: readonly Endpoint[];
    boundaries: ProgramSpec['boundaries'];
    nodeOptions: string | undefined;
    kill(): void;
  },
): Promise<StepSource> {
  const { include, exclude } = options.boundaries;
  if (source === 'code') return { env: {}, proxies: {}, close: async () => {} };
  if (source === 'node') {
    const load = `--import=${pathToFileURL(hookFile()).href}`;
    const env = {
      NODE_OPTIONS: options.nodeOptions ? `${options.nodeOptions} ${load}` : load,
      DRILL_INCLUDE: JSON.stringify(include),
      DRILL_EXCLUDE: JSON.stringify(exclude),
    };
    return { env, proxies: {}, close: async () => {} };
  }
  const start = await startWire();
  const open: { id: string; port: number; close(): Promise<void> | void }[] = [];
  const close = async () => {
    for (const one of open) await one.close();
  };
  try {
    for (const { id, kind, target } of options.endpoints) {
      const { control, kill } = options;
      const wire = await start({ service: id, kind, target, control, include, exclude, kill });
      open.push({ id, port: wire.port, close: () => wire.close() });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    env: {},
    proxies: Object.fromEntries(open.map(({ id, port }) => [id, { host: '127.0.0.1', port }])),
    close,
  };
}
