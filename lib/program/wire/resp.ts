/** RESP, Redis's protocol in its versions 2 and 3, read without keeping what is large. */

const CR = 13;
const kind = (letter: string) => letter.charCodeAt(0);
const ARRAY = kind('*');
const PUSH = kind('>');
const SET = kind('~');
const MAP = kind('%');
const ATTRIBUTE = kind('|');
const BULK = new Set([kind('$'), kind('!'), kind('=')]);
const ERROR = kind('-');
/** A text of at most this length is waited for whole, since it may be the name of something. */
const SHORT = 64;
/** Of a longer command the beginning is looked at, and the rest is forwarded as it comes. */
const HEAD_BYTES = 1 << 18;
const LONGEST_LINE = 1 << 16;

/** Where the line that begins at `from` ends, CR LF included; -1 where it is not complete. */
function lineEnd(data: Buffer, from: number): number {
  const end = data.indexOf('\r\n', from);
  return end === -1 ? -1 : end + 2;
}

/** One reply that ended. */
export interface Ended {
  /** Where the next one begins in the data. */
  at: number;
  push: boolean;
  error: boolean;
  /** The first element of an array or push, where it is a short text. */
  first: string | undefined;
}

/** Finds the ends of replies; their values are skipped. */
export class Replies {
  /** Values that are still to come before the reply is complete. */
  #values = 0;
  #bulk = 0;
  #begun = false;
  #push = false;
  #error = false;
  #count = 0;
  #first: string | undefined;

  /**
   * @param data what came; what it begins with follows what was read before
   * @param from where to read on
   * @returns the next reply that ended, or as a number from where on the data must be given again with more
   */
  next(data: Buffer, from: number): Ended | number {
    let at = from;
    for (;;) {
      const skipped = Math.min(this.#bulk, data.length - at);
      at += skipped;
      this.#bulk -= skipped;
      if (this.#bulk > 0) return at;
      if (this.#begun && this.#values === 0) return this.#end(at);
      if (at >= data.length) return at;
      const read = this.#value(data, at);
      if (read === -1) return at;
      at = read;
    }
  }

  #end(at: number): Ended {
    const ended = { at, push: this.#push, error: this.#error, first: this.#first };
    this.#begun = false;
    this.#count = 0;
    this.#first = undefined;
    return ended;
  }

  /** Reads the header of one value. @returns where it ends; -1 where more is needed */
  #value(data: Buffer, at: number): number {
    const end = lineEnd(data, at);
    if (end === -1) return -1;
    const letter = data[at] as number;
    const size = Number(data.toString('latin1', at + 1, end - 2));
    if (BULK.has(letter) && size >= 0) {
      if (size <= SHORT && data.length - end < size + 2) return -1;
      if (this.#count === 1 && size <= SHORT) this.#first = data.toString('latin1', end, end + size);
      this.#bulk = size + 2;
    }
    if (!this.#begun) {
      this.#begun = true;
      this.#push = letter === PUSH;
      this.#error = letter === ERROR || letter === kind('!');
      this.#values = 1;
    }
    // Attributes stand before a value and are none themselves.
    if (letter === ATTRIBUTE) this.#values += 2 * size;
    else {
      this.#count += 1;
      this.#values -= 1;
      if (letter === ARRAY || letter === PUSH || letter === SET) this.#values += Math.max(0, size);
      else if (letter === MAP) this.#values += 2 * Math.max(0, size);
    }
    return end;
  }
}

/** One command of a client: its first words, and where what was looked at ends. */
export interface Command {
  words: string[];
  /** Where the command, or its part that came, ends in the data. */
  at: number;
}

/** Finds the commands of a client. */
export class Commands {
  /** Arguments of a long command whose end has not come. */
  #args = 0;
  #bulk = 0;

  /**
   * @returns the next command, or as a number how far the data can be forwarded; the rest must be given again
   *   with more. The rest of a command whose head was returned is skipped.
   */
  next(data: Buffer, from: number): Command | number {
    let at = this.#skip(data, from);
    if (this.#bulk > 0 || this.#args > 0) return at;
    while (data[at] === CR && data[at + 1] === CR - 3) at += 2;
    if (at >= data.length) return at;
    if (data[at] !== ARRAY) return this.#inline(data, at);
    return this.#array(data, at);
  }

  /** An old or a typed command: one line of words. */
  #inline(data: Buffer, at: number): Command | number {
    const end = data.indexOf('\n', at);
    if (end === -1 && data.length - at < LONGEST_LINE) return at;
    const stop = end === -1 ? data.length : end + 1;
    const words = data
      .toString('latin1', at, Math.min(stop, at + 256))
      .trim()
      .split(/\s+/);
    return { words: words.filter((word) => word !== ''), at: stop };
  }

  #array(data: Buffer, begin: number): Command | number {
    const words: string[] = [];
    let at = lineEnd(data, begin);
    if (at === -1) return begin;
    const count = Number(data.toString('latin1', begin + 1, at - 2));
    if (!Number.isInteger(count)) return { words: [], at: data.length };
    for (let index = 0; index < count; index += 1) {
      const large = data.length - begin >= HEAD_BYTES;
      const end = lineEnd(data, at);
      const size = end === -1 ? 0 : Number(data.toString('latin1', at + 1, end - 2));
      if (end !== -1 && words.length < 3 && size <= SHORT)
        words.push(data.toString('latin1', end, end + size));
      // The service refuses what is no RESP, and ends the connection.
      if (!Number.isInteger(size) || size < 0) return { words: [], at: data.length };
      const next = end + size + 2;
      if (end === -1 || next > data.length) {
        if (!large) return begin;
        this.#args = count - index - (end === -1 ? 0 : 1);
        this.#bulk = end === -1 ? 0 : next - data.length;
        return { words, at: end === -1 ? at : data.length };
      }
      at = next;
    }
    return { words, at };
  }

  /** Skips what is left of a long command. @returns where to read on */
  #skip(data: Buffer, from: number): number {
    let at = from;
    for (;;) {
      const skipped = Math.min(this.#bulk, data.length - at);
      at += skipped;
      this.#bulk -= skipped;
      if (this.#bulk > 0 || this.#args === 0) return at;
      const end = lineEnd(data, at);
      if (end === -1) return at;
      this.#bulk = Number(data.toString('latin1', at + 1, end - 2)) + 2;
      this.#args -= 1;
      at = end;
    }
  }
}
