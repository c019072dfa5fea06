/**
 * PostgreSQL's protocol, version 3, followed in both directions. A statement of the simple protocol has its
 * boundaries at Query; one of the extended protocol at Execute. `after` is ReadyForQuery, since only then a
 * client knows that its transaction was committed: a pipeline up to one Sync has one ReadyForQuery, and so all
 * its statements have their `after` there, in their order. The first Execute of a portal is the statement;
 * later ones fetch what it left.
 */
import type { Socket } from 'node:net';
import type { Named, Place, WireControl } from './control.ts';
import { type Follower, type Link, Window } from './link.ts';
import { nameStatements, nameTogether, type Statement } from './sql-name.ts';

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;
const LONGEST_STARTUP = 10_000;
/** Of a longer message the beginning is looked at, and the rest is forwarded as it comes. */
const HEAD_BYTES = 1 << 18;
const REMEMBERED = 1_000;
const REMEMBERED_LENGTH = 4_096;

const EMPTY: Buffer = Buffer.alloc(0);
const HEADER = 5;
const type = (letter: string) => letter.charCodeAt(0);
const QUERY = type('Q');
const PARSE = type('P');
const BIND = type('B');
const EXECUTE = type('E');
const SYNC = type('S');
const FLUSH = type('H');
const CLOSE = type('C');
const FUNCTION_CALL = type('F');
const COPY_DONE = type('c');
const COPY_FAIL = type('f');
const LOOKED_AT = new Set([QUERY, PARSE, BIND, EXECUTE, CLOSE]);
const READY_FOR_QUERY = type('Z');
const COPY_IN = type('G');
const COPY_BOTH = type('W');

/** What the service answers with one ReadyForQuery. */
interface Batch {
  /** The `after` boundaries of its statements. */
  after: string[];
  /** A fault may act at one of them: the reply is held back. */
  armed: boolean;
  /** The client asked for what there is before it sends Sync. */
  flushing: boolean;
  simple: boolean;
  copying: boolean;
}

interface Portal {
  named: Named;
  executed: boolean;
}

const UNKNOWN: Named = { name: 'EXECUTE', writes: true };

/** Names of query strings, remembered: programs send the same ones again and again. */
const remembered = new Map<string, Statement[]>();

function statementsOf(sql: string): Statement[] {
  const known = remembered.get(sql);
  if (known) return known;
  const named = nameStatements(sql);
  if (sql.length <= REMEMBERED_LENGTH) {
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(sql, named);
  }
  return named;
}

/** The text up to the next NUL, and where the next field begins. */
function text(data: Buffer, from: number): [string, number] {
  const end = data.indexOf(0, from);
  const stop = end === -1 ? data.length : end;
  return [data.toString('utf8', from, stop), stop + 1];
}

export class PostgresFollower implements Follower {
  readonly #link: Link;
  readonly #control: WireControl;
  readonly #window = new Window();
  readonly #prepared = new Map<string, Named>();
  readonly #sqlPrepared = new Map<string, Named>();
  readonly #portals = new Map<string, Portal>();
  /** Not answered yet, in their order. The last one may still be open. */
  #batches: Batch[] = [];
  #open: Batch | undefined;
  #started = false;
  /** A cancel request, which has no reply, or bytes that are not PostgreSQL's: passed on without a look. */
  #blind = false;
  #requestCarry = EMPTY;
  #requestRest = 0;
  #replyCarry = EMPTY;
  #replyRest = 0;

  constructor(link: Link, control: WireControl) {
    this.#link = link;
    this.#control = control;
  }

  readonly request = (chunk: Buffer): Promise<void> | undefined => {
    const data = this.#requestCarry.length > 0 ? Buffer.concat([this.#requestCarry, chunk]) : chunk;
    this.#requestCarry = EMPTY;
    const at = this.#started || this.#blind ? 0 : this.#startup(data);
    if (this.#blind) {
      this.#forward(data.subarray(at));
      return undefined;
    }
    if (!this.#started) {
      this.#requestCarry = data.subarray(at);
      return undefined;
    }
    return this.#requests(data, at, at);
  };

  /** Follows the messages before the first typed one. @returns where the next message begins */
  #startup(data: Buffer): number {
    let at = 0;
    while (!this.#started && !this.#blind && data.length - at >= 8) {
      const size = data.readUInt32BE(at);
      const code = data.readUInt32BE(at + 4);
      if (size < 8 || size > LONGEST_STARTUP) {
        // TLS without asking first, or no PostgreSQL at all: it would pass by unseen.
        this.#link.destroy();
        return at;
      }
      if (data.length - at < size) return at;
      else if (code === SSL_REQUEST || code === GSS_REQUEST) {
        this.#link.client.write('N');
        at += size;
      } else if (code === CANCEL_REQUEST) this.#blind = true;
      else {
        this.#started = true;
        // The service ends the log-in, too, with ReadyForQuery.
        this.#add({ simple: true });
        this.#forward(data.subarray(at, at + size));
        at += size;
      }
    }
    return at;
  }

  #pass(sink: Socket, rest: Buffer): undefined {
    this.#blind = true;
    this.#handOn();
    sink.write(rest);
  }

  #forward(slice: Buffer): void {
    if (slice.length > 0) this.#link.service.write(slice);
  }

  #requests(data: Buffer, begin: number, unsent: number): Promise<void> | undefined {
    let at = begin;
    for (;;) {
      const skipped = Math.min(this.#requestRest, data.length - at);
      at += skipped;
      this.#requestRest -= skipped;
      if (this.#requestRest > 0 || data.length - at < HEADER) break;
      const letter = data[at] as number;
      const size = data.readUInt32BE(at + 1) + 1;
      if (size < HEADER) return this.#pass(this.#link.service, data.subarray(unsent));
      const head = LOOKED_AT.has(letter) ? Math.min(size, HEAD_BYTES) : HEADER;
      if (data.length - at < head) break;
      const before = this.#message(letter, data.subarray(at + HEADER, at + head)).before;
      const here = at;
      at += head;
      this.#requestRest = size - head;
      const fired = before === undefined ? undefined : this.#control.reach(before);
      if (fired) {
        this.#forward(data.subarray(unsent, here));
        return this.#link.strike(fired, () => this.#requests(data, at, here));
      }
    }
    this.#forward(data.subarray(unsent, at));
    this.#requestCarry = at < data.length ? Buffer.from(data.subarray(at)) : EMPTY;
    return undefined;
  }

  /** Takes note of a message of the client. @returns its boundaries */
  #message(letter: number, body: Buffer): Place {
    if (letter === QUERY) return this.#reached(this.#query(text(body, 0)[0]), this.#add({ simple: true }));
    if (letter === PARSE) {
      const [name, next] = text(body, 0);
      this.#prepared.set(name, this.#query(text(body, next)[0]));
    } else if (letter === BIND) {
      const [portal, next] = text(body, 0);
      const named = this.#prepared.get(text(body, next)[0]) ?? UNKNOWN;
      this.#portals.set(portal, { named, executed: false });
    } else if (letter === EXECUTE) {
      const portal = this.#portals.get(text(body, 0)[0]);
      const batch = this.#opened();
      if (portal && !portal.executed) {
        portal.executed = true;
        return this.#reached(portal.named, batch);
      }
    } else if (letter === CLOSE) {
      (body[0] === SYNC ? this.#prepared : this.#portals).delete(text(body, 1)[0]);
    } else if (letter === FUNCTION_CALL) {
      return this.#reached({ name: 'FUNCTION', writes: true }, this.#add({ simple: true }));
    } else if (letter === SYNC) {
      this.#opened().flushing = false;
      this.#open = undefined;
    } else if (letter === FLUSH && this.#open?.armed) {
      this.#open.flushing = true;
      this.#handOn();
    } else if (letter === COPY_DONE || letter === COPY_FAIL) this.#copied();
    return {};
  }

  #reached(named: Named, batch: Batch): Place {
    const place = this.#control.place(named);
    if (place.after !== undefined) batch.after.push(place.after);
    if (this.#control.armed(place.after)) batch.armed = true;
    return place;
  }

  #query(sql: string): Named {
    const all = statementsOf(sql).map((statement): Named => {
      if (statement.prepares !== undefined) {
        this.#sqlPrepared.set(statement.prepares, statement);
        return { name: `PREPARE ${statement.name}`, writes: false };
      }
      if (statement.executes !== undefined) return this.#sqlPrepared.get(statement.executes) ?? statement;
      return statement;
    });
    return nameTogether(all);
  }

  #add({ simple }: { simple: boolean }): Batch {
    const batch = { after: [], armed: false, flushing: false, simple, copying: false };
    this.#batches.push(batch);
    return batch;
  }

  /** The batch that the next Sync ends. */
  #opened(): Batch {
    this.#open ??= this.#add({ simple: false });
    return this.#open;
  }

  /** The service ignores every Sync that it reads during a COPY from the client: the batch is still open. */
  #copied(): void {
    const [first, ...later] = this.#batches;
    if (!first?.copying || first.simple) return;
    for (const batch of later) first.after.push(...batch.after);
    first.copying = false;
    this.#batches = [first];
    this.#open = first;
  }

  readonly reply = (chunk: Buffer): Promise<void> | undefined => {
    const data = this.#replyCarry.length > 0 ? Buffer.concat([this.#replyCarry, chunk]) : chunk;
    this.#replyCarry = EMPTY;
    if (this.#blind) {
      this.#link.client.write(data);
      return undefined;
    }
    return this.#replies(data, 0, 0);
  };

  #replies(data: Buffer, begin: number, unsent: number): Promise<void> | undefined {
    let at = begin;
    let from = unsent;
    for (;;) {
      const skipped = Math.min(this.#replyRest, data.length - at);
      at += skipped;
      this.#replyRest -= skipped;
      if (this.#replyRest > 0 || data.length - at < HEADER) break;
      const letter = data[at] as number;
      const size = data.readUInt32BE(at + 1) + 1;
      if (size < HEADER) return this.#pass(this.#link.client, data.subarray(from));
      if (letter === READY_FOR_QUERY) {
        if (data.length - at < size) break;
        at += size;
        const batch = this.#batches.shift();
        if (batch && batch === this.#open) this.#open = undefined;
        if (batch?.armed || this.#batches[0]?.armed) {
          this.#keep(data.subarray(from, at), batch);
          from = at;
        }
        if (batch && batch.after.length > 0) {
          const rest = () => this.#replies(data, at, from);
          const stop = this.#complete(batch, 0, rest);
          if (stop) return stop.waiting;
        }
        continue;
      }
      if (letter === COPY_IN || letter === COPY_BOTH) {
        const batch = this.#batches[0];
        if (batch && letter === COPY_IN) batch.copying = true;
        // The client must see this to go on; nothing of the statement is done yet.
        if (batch?.armed && data.length - at < size) break;
        if (batch?.armed) {
          this.#keep(data.subarray(from, at + size), batch);
          this.#handOn();
          at += size;
          from = at;
          continue;
        }
      }
      at += HEADER;
      this.#replyRest = size - HEADER;
    }
    this.#keep(data.subarray(from, at), this.#batches[0]);
    this.#replyCarry = at < data.length ? Buffer.from(data.subarray(at)) : EMPTY;
    return undefined;
  }

  /** Hands a piece of a reply on, or holds it back where a fault may act at its end. */
  #keep(slice: Buffer, batch: Batch | undefined): void {
    if (slice.length === 0) return;
    if (batch?.armed && !batch.flushing) {
      for (const out of this.#window.push(slice)) this.#link.client.write(out);
      return;
    }
    this.#handOn();
    this.#link.client.write(slice);
  }

  #handOn(): void {
    for (const slice of this.#window.take()) this.#link.client.write(slice);
  }

  /** Passes the `after` boundaries of a complete reply. @returns a value where a fault stops the flow */
  #complete(
    batch: Batch,
    first: number,
    rest: () => Promise<void> | undefined,
  ): { waiting?: Promise<void> } | undefined {
    for (let index = first; index < batch.after.length; index += 1) {
      const fired = this.#control.reach(batch.after[index] as string);
      if (fired) {
        const waiting = this.#link.strike(fired, () => {
          const stop = this.#complete(batch, index + 1, rest);
          return stop ? stop.waiting : rest();
        });
        return waiting ? { waiting } : {};
      }
    }
    if (batch.armed) this.#handOn();
    return undefined;
  }
}
