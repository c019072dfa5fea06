/** What the proxies of one service share: names, hits, the trace, and the faults of the step. */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DrillError } from '#lib/core/errors.ts';

export type WireKind = 'postgres' | 'redis' | 'http';
export type Side = 'before' | 'after';
export type WireAction =
  | 'kill'
  | 'hold'
  | 'lose-request'
  | 'lose-reply'
  | 'delay-reply'
  | 'repeat'
  | 'error-reply';

export interface WireFault {
  at: string;
  hit: number;
  action: WireAction;
}

export interface WireOptions {
  /** Name of the service in drill.yaml. */
  service: string;
  kind: WireKind;
  target: { host: string; port: number };
  /** Control directory of the step: faults.json, trace.ndjson, release-…, fired-<index>. */
  control: string;
  /** Globs over names: a matching statement that only reads becomes a boundary. */
  include?: string[];
  /** Globs over names: a matching statement is no boundary. */
  exclude?: string[];
  /** Ends the step's process group with SIGKILL. Must not throw. */
  kill(): void;
}

/** What a statement or a request is called, and whether it can write. */
export interface Named {
  name: string;
  writes: boolean;
}

/** The names of the two boundaries of a statement; undefined where it has none. */
export interface Place {
  before?: string;
  after?: string;
}

/** A fault that acts now. */
export interface Fired extends WireFault {
  index: number;
}

const PREFIX: Record<WireKind, string> = { postgres: 'pg', redis: 'redis', http: 'http' };
const RELEASE_POLL_MS = 10;
/** A release file carries the encoded name; a file name has at most 255 bytes. */
const LONGEST_ENCODED = 200;

const BOTH: Record<Side, WireAction[]> = {
  before: ['kill', 'hold', 'lose-request'],
  after: ['kill', 'hold', 'lose-reply'],
};
const HTTP_ONLY: Record<Side, WireAction[]> = {
  before: ['repeat'],
  after: ['delay-reply', 'repeat', 'error-reply'],
};

/**
 * @param kind of service
 * @param side of the boundary
 * @returns the actions that make sense there
 */
export function wireActions(kind: WireKind, side: Side): WireAction[] {
  return kind === 'http' ? [...BOTH[side], ...HTTP_ONLY[side]] : BOTH[side];
}

/** One pattern: `*` is any text, `?` any one character; with or without the side at its end. */
function glob(pattern: string): RegExp {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
  return new RegExp(`^${source.replace(/\?/g, '.')}( before| after)?$`, 's');
}

function shortened(name: string): string {
  let text = name;
  while (encodeURIComponent(text).length > LONGEST_ENCODED) text = text.slice(0, -1).toWellFormed();
  return text;
}

/** Why a fault cannot act at this wire, as the end of a sentence; undefined where it can. */
function misfit(fault: { at: string; action: string }, kind: WireKind): string | undefined {
  const side: Side = fault.at.endsWith(' before') ? 'before' : 'after';
  const other: Side = side === 'before' ? 'after' : 'before';
  const action = fault.action as WireAction;
  if (wireActions(kind, side).includes(action)) return undefined;
  if (wireActions(kind, other).includes(action)) return `use it at a boundary that ends with "${other}"`;
  if (wireActions('http', 'before').includes(action) || wireActions('http', 'after').includes(action)) {
    return 'only http services have it';
  }
  const all = wireActions(kind, side);
  return `a proxy can ${all.slice(0, -1).join(', ')} or ${all.at(-1)}, here`;
}

function readFaults(file: string, kind: WireKind): Fired[] {
  if (!existsSync(file)) return [];
  const faults = JSON.parse(readFileSync(file, 'utf8')) as (WireFault & { role?: string })[];
  return faults.flatMap(({ at, hit, role, action }, index) => {
    const ours = at.startsWith(`${PREFIX[kind]} `) && /( before| after)$/.test(at);
    if (!ours || (role !== undefined && role !== 'wire')) return [];
    const reason = misfit({ at, action }, kind);
    if (reason) throw new DrillError('usage', `The action "${action}" does not fit "${at}": ${reason}.`);
    return [{ at, hit, action, index }];
  });
}

/** The faults, hits and trace of one proxy. */
export class WireControl {
  readonly #options: WireOptions;
  readonly #include: RegExp[];
  readonly #exclude: RegExp[];
  readonly #hits = new Map<string, number>();
  readonly #places = new Map<string, Place>();
  readonly #waiting = new Set<() => void>();
  #faults: Fired[];
  #trace: number | undefined;
  /** Nothing is forwarded any more: the step's processes have been killed, or the proxy is closed. */
  dead = false;

  /** @throws DrillError `usage` where an armed action makes no sense at its boundary */
  constructor(options: WireOptions) {
    this.#options = options;
    this.#include = (options.include ?? []).map(glob);
    this.#exclude = (options.exclude ?? []).map(glob);
    this.#faults = readFaults(join(options.control, 'faults.json'), options.kind);
  }

  /** The boundaries of a statement or request. */
  place({ name, writes }: Named): Place {
    const key = `${writes} ${name}`;
    const known = this.#places.get(key);
    if (known) return known;
    const plain = shortened(`${PREFIX[this.#options.kind]} ${name}`);
    const place: Place = {};
    for (const side of ['before', 'after'] as const) {
      const full = `${plain} ${side}`;
      const matches = (pattern: RegExp) => pattern.test(full);
      if (this.#exclude.some(matches)) continue;
      if (writes || this.#include.some(matches)) place[side] = full;
    }
    if (this.#places.size < 10_000) this.#places.set(key, place);
    return place;
  }

  /** True where a fault may still act at the boundary: its reply is then held back until it is complete. */
  armed(name: string | undefined): boolean {
    if (name === undefined || this.#faults.length === 0) return false;
    const hits = this.#hits.get(name) ?? 0;
    return this.#faults.some((fault) => fault.at === name && fault.hit > hits);
  }

  /**
   * Counts a hit and writes it into the trace.
   *
   * @param name of the boundary, with its side
   * @param able answers whether an action can be carried out here; asked before the fault counts as fired
   * @returns the fault that acts now
   */
  reach(name: string, able: (action: WireAction) => boolean = () => true): Fired | undefined {
    const hit = (this.#hits.get(name) ?? 0) + 1;
    this.#hits.set(name, hit);
    this.#append({ boundary: name, hit });
    if (this.#faults.length === 0) return undefined;
    return this.#faults.find(
      (fault) => fault.at === name && fault.hit === hit && able(fault.action) && this.#claim(fault),
    );
  }

  /** A fault fires once a step, whichever process or proxy comes first. */
  #claim(fault: Fired): boolean {
    this.#faults = this.#faults.filter((other) => other !== fault);
    try {
      writeFileSync(join(this.#options.control, `fired-${fault.index}`), '', { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  #append(line: object): void {
    this.#trace ??= openSync(join(this.#options.control, 'trace.ndjson'), 'a');
    writeSync(this.#trace, `${JSON.stringify({ ...line, role: 'wire', pid: process.pid })}\n`);
  }

  /**
   * Writes that a connection is held, and waits for its release file.
   *
   * @returns true when released, false when the proxy was closed or its step was killed meanwhile
   */
  async released({ at, hit }: WireFault): Promise<boolean> {
    this.#append({ held: at, hit });
    const file = join(this.#options.control, `release-${process.pid}-${encodeURIComponent(at)}-${hit}`);
    while (!this.dead && !existsSync(file)) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, RELEASE_POLL_MS);
        this.#waiting.add(wake);
      });
    }
    return !this.dead;
  }

  /** Kills the step's processes. Nothing is forwarded from here on. */
  kill(): void {
    this.dead = true;
    this.#options.kill();
    for (const wake of this.#waiting) wake();
  }

  close(): void {
    this.dead = true;
    for (const wake of this.#waiting) wake();
    if (this.#trace !== undefined) closeSync(this.#trace);
    this.#trace = undefined;
  }
}
