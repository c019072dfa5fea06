/** The control directory of one step: faults in, trace out. */
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Action =
  | 'kill'
  | 'lose-request'
  | 'lose-reply'
  | 'exit'
  | 'abort'
  | 'hold'
  | 'delay-reply'
  | 'repeat'
  | 'error-reply';

/** A boundary hit of one step: where a fault can be put. */
export interface Place {
  /** Label of the step. */
  step: string;
  role: string;
  at: string;
  hit: number;
}
export interface PlacedFault extends Place {
  action: Action;
}
export interface TraceLine {
  boundary: string;
  hit: number;
  role: string;
  pid: number;
}

/** A boundary that is passed ten million times must not fill our memory. */
const TRACE_BYTES = 8 * 1024 * 1024;

/** True where a fault ends processes, and not only a message. */
export const isCrash = (action: Action): boolean => ['kill', 'exit', 'abort'].includes(action);

/** `submit/after-charge#1`, with the role where it is not the program's own. */
export function placeName({ step, role, at, hit }: Place): string {
  return `${step}/${role === 'executor' || role === 'wire' ? '' : `${role}:`}${at}#${hit}`;
}

/** `submit/after-charge#1:kill`. */
export const faultName = (fault: PlacedFault): string => `${placeName(fault)}:${fault.action}`;

export class Control {
  readonly dir: string;
  readonly faults: readonly PlacedFault[];

  /** Makes the directory with the faults of one step. */
  constructor(dir: string, faults: readonly PlacedFault[]) {
    this.dir = dir;
    this.faults = faults;
    mkdirSync(dir, { recursive: true });
    writeFileSync(
      join(dir, 'faults.json'),
      JSON.stringify(faults.map(({ at, hit, role, action }) => ({ at, hit, role, action }))),
    );
  }

  /** Faults that have acted: each left a file of its own, made before it acted. */
  fired(): PlacedFault[] {
    return this.faults.filter((_, index) => existsSync(join(this.dir, `fired-${index}`)));
  }

  /** What was passed, in order. A line that is cut off or is none of ours is left out. */
  trace(): TraceLine[] {
    const file = join(this.dir, 'trace.ndjson');
    if (!existsSync(file)) return [];
    const handle = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(Math.min(TRACE_BYTES, fstatSync(handle).size));
      readSync(handle, bytes, 0, bytes.length, 0);
      return bytes.toString('utf8').split('\n').slice(0, -1).flatMap(traceLine);
    } finally {
      closeSync(handle);
    }
  }
}

function traceLine(text: string): TraceLine[] {
  try {
    const { boundary, hit, role = 'executor', pid = 0 } = JSON.parse(text) as Partial<TraceLine>;
    if (typeof boundary !== 'string' || !Number.isInteger(hit)) return [];
    return [{ boundary: boundary.slice(0, 300), hit: hit as number, role: String(role), pid: Number(pid) }];
  } catch {
    return [];
  }
}
