/** Who owns a step: a process, told from a later one with the same pid by its start time and the boot. */
import { readFileSync } from 'node:fs';
import { isAlive, startTime } from '../executor/processes.ts';

export interface Owner {
  pid: number;
  start: string;
  boot: string;
}

let self: Owner | undefined;

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** This process. */
export function me(): Owner {
  self ??= { pid: process.pid, start: startTime(process.pid), boot: bootId() };
  return self;
}

export function isMe(owner: Owner): boolean {
  const own = me();
  return owner.pid === own.pid && owner.start === own.start && owner.boot === own.boot;
}

/** True while that very process lives. Start times count from boot, so another boot's owner is dead. */
export function ownerLives(owner: Owner): boolean {
  return owner.boot === me().boot && isAlive(owner.pid, owner.start);
}
