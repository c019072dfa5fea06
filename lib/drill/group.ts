/** One executor of a step with everything in its process group: how far it is, and how it ended. */
import type { Fault } from '../boundary/boundary.ts';
import type { RawEnd, Started } from '../executor/launch.ts';
import { allAsleep, groupMembers, isAlive, killGroup, killProcess } from '../executor/processes.ts';
import type { ExecutorEnd, TraceLine } from './model.ts';

export interface HeldPlace {
  pid: number;
  role: string;
  at: string;
  hit: number;
}

const SETTLE_MS = 250;

export class Group {
  readonly started: Started;
  raw: RawEnd | null = null;
  timedOut = false;
  /** Told by us why it was not let run. */
  notStarted: string | undefined;
  /** A record has told how the executor ended. */
  told = false;
  private released = new Set<string>();
  private killed = new Set<number>();
  private rolesHeld = new Set<string>();
  private lastCount = 0;
  private lastChange = Date.now();

  constructor(started: Started) {
    this.started = started;
    void started.end.then((end) => {
      this.raw = end;
    });
  }

  /** Boundaries at which living processes of this group are held and not yet released. */
  held(trace: readonly TraceLine[]): HeldPlace[] {
    const members = this.members();
    if (members.length === 0) return [];
    const living = new Set(members);
    const places = trace
      .filter((line) => 'held' in line)
      .map((line) => ({ pid: line.pid, role: line.role, at: line.held, hit: line.hit }))
      .filter((place) => living.has(place.pid) && !this.released.has(key(place)));
    for (const place of places) this.rolesHeld.add(place.role);
    return places;
  }

  markReleased(place: HeldPlace): void {
    this.released.add(key(place));
  }

  members(): number[] {
    const members = groupMembers(this.started.group);
    // One that has answered and waits for its next request has ended as far as this step goes.
    return this.started.keeps && this.raw?.kept ? members.filter((pid) => pid !== this.started.pid) : members;
  }

  /**
   * Over for this step: everything has ended, or what is left is held or waits for something held. With several
   * holds armed in several roles, all of them are waited for, unless the group has come to rest without.
   */
  quiet(trace: readonly TraceLine[], holds: readonly Fault[]): boolean {
    if (this.raw !== null && this.members().length === 0) return true;
    if (this.ending()) return false;
    const held = this.held(trace);
    if (held.length === 0) return false;
    if (holds.every((fault) => this.rolesHeld.has(fault.role))) return true;
    if (trace.length !== this.lastCount) {
      this.lastCount = trace.length;
      this.lastChange = Date.now();
      return false;
    }
    return Date.now() - this.lastChange > SETTLE_MS && allAsleep(this.members());
  }

  /** A death belongs into the step in which it happens, also where a child stays held. */
  private ending(): boolean {
    if ([...this.killed].some((pid) => isAlive(pid, ''))) return true;
    const { pid } = this.started;
    return this.raw === null && (this.killed.has(pid) || !this.members().includes(pid));
  }

  /** Ends one process of the group. */
  killOne(pid: number): void {
    this.killed.add(pid);
    killProcess(pid);
  }

  kill(): void {
    killGroup(this.started.group);
  }

  end(trace: readonly TraceLine[]): ExecutorEnd {
    const held = this.held(trace);
    const own = held.find((place) => place.role === 'executor') ?? held[0] ?? null;
    const raw = this.told ? null : this.raw;
    return {
      role: 'executor',
      pid: this.started.pid,
      code: raw?.code ?? null,
      signal: raw?.signal ?? null,
      timedOut: this.timedOut,
      held: own ? { at: own.at, hit: own.hit } : null,
      ...(this.notStarted ? { notStarted: this.notStarted } : {}),
      ...(this.told ? { endedBefore: true } : {}),
      reply: raw?.reply ?? null,
      stdout: raw?.stdout ?? '',
      stderr: raw?.stderr ?? '',
    };
  }
}

function key(place: HeldPlace): string {
  return `${place.pid}/${place.at}/${place.hit}`;
}
