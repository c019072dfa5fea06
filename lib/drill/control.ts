/** A step's control directory: faults in, trace out, releases and the clock (docs/protocol.md). */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../boundary/boundary.ts';
import type { HeldPlace } from './group.ts';
import type { FaultSpec, StepSpec, TraceLine } from './model.ts';

/** The faults of a step with their defaults: first hit, role `executor`, action `exit`. */
export function armedFaults(spec: StepSpec): Fault[] {
  const list: FaultSpec[] =
    spec.fault === undefined ? [] : Array.isArray(spec.fault) ? spec.fault : [spec.fault];
  return list.map((fault) => ({
    at: fault.at,
    hit: fault.hit ?? 1,
    role: fault.role ?? 'executor',
    action: fault.action ?? 'exit',
  }));
}

export class Control {
  readonly dir: string;
  /** Faults of the step itself; a race's own hold is not one of them. */
  readonly faults: Fault[];
  readonly race: StepSpec['race'];

  constructor(dir: string, spec: StepSpec) {
    this.dir = dir;
    this.faults = armedFaults(spec);
    this.race = spec.race;
    mkdirSync(dir, { recursive: true });
    const start: Fault[] = spec.race ? [{ at: spec.race.at, hit: 1, role: 'executor', action: 'hold' }] : [];
    writeFileSync(join(dir, 'faults.json'), JSON.stringify([...start, ...this.faults]));
  }

  /** Holds that end the step with a living executor. */
  holds(): Fault[] {
    return this.faults.filter((fault) => fault.action === 'hold');
  }

  /** What was marked so far. A last line without its end is still being written, or a full disk cut it off. */
  trace(): TraceLine[] {
    const file = join(this.dir, 'trace.ndjson');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as TraceLine);
  }

  /** From here on every process of the step reads this time; before the release, so that none goes on too early. */
  setClock(now: number): void {
    const part = join(this.dir, 'clock.part');
    writeFileSync(part, String(now));
    renameSync(part, join(this.dir, 'clock'));
  }

  release(place: HeldPlace): void {
    writeFileSync(join(this.dir, `release-${place.pid}-${place.at}-${place.hit}`), '');
  }

  /** Armed faults whose boundary was reached on the hit asked for, by a process of the role. */
  fired(trace: readonly TraceLine[]): Fault[] {
    return this.faults.filter((fault) =>
      trace.some(
        (line) =>
          'boundary' in line &&
          line.boundary === fault.at &&
          line.hit === fault.hit &&
          line.role === fault.role,
      ),
    );
  }
}
