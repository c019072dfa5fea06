/**
 * Redis's protocol followed in both directions. Replies come in the order of the commands; pushes of RESP3 and
 * the messages of a RESP2 subscription stand between them and belong to no command. What MULTI queues waits for
 * its EXEC, which is the boundary.
 */
import type { WireControl } from './control.ts';
import { type Follower, type Link, Window } from './link.ts';
import { nameCommand } from './redis-name.ts';
import { Commands, type Ended, Replies } from './resp.ts';

const EMPTY: Buffer = Buffer.alloc(0);
const SUBSCRIPTION = /^(s|p)?(un)?subscribe$/;
const MESSAGE = /^(s|p)?message$/;
/** What follows is no series of replies to commands any more. */
const ENDLESS = new Set(['monitor', 'sync', 'psync']);

/** A command that waits for its reply. */
interface Pending {
  after: string | undefined;
  armed: boolean;
  subscription: boolean;
}

export class RedisFollower implements Follower {
  readonly #link: Link;
  readonly #control: WireControl;
  readonly #commands = new Commands();
  readonly #replies = new Replies();
  readonly #window = new Window();
  readonly #pending: Pending[] = [];
  #multi = false;
  #subscribed = false;
  /** Replies cannot be counted on this connection any more. */
  #endless = false;
  #requestCarry = EMPTY;
  #replyCarry = EMPTY;

  constructor(link: Link, control: WireControl) {
    this.#link = link;
    this.#control = control;
  }

  readonly request = (chunk: Buffer): Promise<void> | undefined => {
    const data = this.#requestCarry.length > 0 ? Buffer.concat([this.#requestCarry, chunk]) : chunk;
    this.#requestCarry = EMPTY;
    return this.#requests(data, 0, 0);
  };

  #requests(data: Buffer, begin: number, unsent: number): Promise<void> | undefined {
    let at = begin;
    for (;;) {
      const command = this.#commands.next(data, at);
      if (typeof command === 'number') {
        at = command;
        break;
      }
      const here = at;
      at = command.at;
      const before = command.words.length > 0 ? this.#command(command.words) : undefined;
      const fired = before === undefined ? undefined : this.#control.reach(before);
      if (fired) {
        this.#forward(data.subarray(unsent, here));
        return this.#link.strike(fired, () => this.#requests(data, at, here));
      }
    }
    this.#forward(data.subarray(unsent, at));
    if (at < data.length) this.#requestCarry = Buffer.from(data.subarray(at));
    return undefined;
  }

  #forward(slice: Buffer): void {
    if (slice.length > 0) this.#link.service.write(slice);
  }

  /** Takes note of a command. @returns its boundary before it is forwarded */
  #command(words: string[]): string | undefined {
    const [verb = '', second = ''] = words.map((word) => word.toLowerCase());
    const queued = this.#multi && !/^(exec|discard|reset|quit)$/.test(verb);
    if (verb === 'multi') this.#multi = true;
    else if (!queued) this.#multi = false;
    if (ENDLESS.has(verb) || (verb === 'client' && second === 'reply')) this.#endless = true;
    const subscription = SUBSCRIPTION.test(verb);
    if (subscription) this.#subscribed = true;
    const place = queued ? {} : this.#control.place(nameCommand(words));
    if (!this.#endless) {
      this.#pending.push({ after: place.after, armed: this.#control.armed(place.after), subscription });
    }
    return place.before;
  }

  readonly reply = (chunk: Buffer): Promise<void> | undefined => {
    const data = this.#replyCarry.length > 0 ? Buffer.concat([this.#replyCarry, chunk]) : chunk;
    this.#replyCarry = EMPTY;
    return this.#answers(data, 0, 0);
  };

  #answers(data: Buffer, begin: number, unsent: number): Promise<void> | undefined {
    let at = begin;
    let from = unsent;
    // Also where nothing waits for a reply: a push must be followed to its end.
    while (!this.#endless || this.#pending.length > 0) {
      const ended = this.#replies.next(data, at);
      if (typeof ended === 'number') {
        this.#keep(data.subarray(from, ended), this.#pending[0]);
        if (ended < data.length) this.#replyCarry = Buffer.from(data.subarray(ended));
        return undefined;
      }
      at = ended.at;
      const pending = this.#answered(ended);
      if (!pending) continue;
      if (pending.armed || this.#pending[0]?.armed) {
        this.#keep(data.subarray(from, at), pending);
        from = at;
      }
      const fired = pending.after === undefined ? undefined : this.#control.reach(pending.after);
      if (fired) {
        return this.#link.strike(fired, () => {
          this.#handOn();
          return this.#answers(data, at, from);
        });
      }
      if (pending.armed) this.#handOn();
    }
    this.#handOn();
    this.#keep(data.subarray(from), undefined);
    return undefined;
  }

  /** @returns the command that a reply answers; undefined where it answers none */
  #answered({ push, error, first }: Ended): Pending | undefined {
    const announced = push || this.#subscribed ? (first ?? '') : '';
    if (SUBSCRIPTION.test(announced)) {
      // One for each channel: the first one answers the command.
      return this.#pending[0]?.subscription ? this.#pending.shift() : undefined;
    }
    if (push || MESSAGE.test(announced)) return undefined;
    if (this.#pending[0]?.subscription && !error) return undefined;
    return this.#pending.shift();
  }

  /** Hands a piece of a reply on, or holds it back where a fault may act at its end. */
  #keep(slice: Buffer, pending: Pending | undefined): void {
    if (slice.length === 0) return;
    if (pending?.armed) {
      for (const out of this.#window.push(slice)) this.#link.client.write(out);
      return;
    }
    this.#handOn();
    this.#link.client.write(slice);
  }

  #handOn(): void {
    for (const slice of this.#window.take()) this.#link.client.write(slice);
  }
}
