/** Frames of PostgreSQL's protocol, written and read by hand. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const text = (value: string) => Buffer.from(`${value}\0`);
const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function frame(letter: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
}

export const query = (sql: string) => frame('Q', text(sql));
export const parse = (name: string, sql: string) => frame('P', text(name), text(sql), int16(0));
export const bind = (portal: string, name: string, values: string[] = []) =>
  frame(
    'B',
    text(portal),
    text(name),
    int16(0),
    int16(values.length),
    ...values.flatMap((value) => [int32(Buffer.byteLength(value)), Buffer.from(value)]),
    int16(0),
  );
export const execute = (portal: string, rows = 0) => frame('E', text(portal), int32(rows));
export const sync = frame('S');
export const flush = frame('H');
export const copyData = (data: string) => frame('d', Buffer.from(data));
export const copyDone = frame('c');
export const copyFail = frame('f', text('stopped'));

/** A statement of the extended protocol, up to its Execute. */
export const extended = (sql: string, ...values: string[]) =>
  Buffer.concat([parse('', sql), bind('', '', values), execute('')]);

export function startup(database: string): Buffer {
  const body = Buffer.concat([int32(196608), ...['user', 'postgres', 'database', database, ''].map(text)]);
  return Buffer.concat([int32(body.length + 4), body]);
}

export function special(code: number, ...more: number[]): Buffer {
  return Buffer.concat([int32(8 + 4 * more.length), int32(code), ...more.map(int32)]);
}

/** One connection; the letters of the frames that came, with the tags of completed commands. */
export class RawClient {
  readonly socket: Socket;
  /** Settles when the connection has ended, in whatever way. */
  readonly closed: Promise<void>;
  #chunks: Buffer[] = [];
  #came = () => {};
  /** From BackendKeyData: process and secret. */
  key: [number, number] = [0, 0];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#came();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        resolve();
        this.#came();
      });
    });
  }

  static async open(port: number, database: string): Promise<RawClient> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const client = new RawClient(socket);
    await once(socket, 'connect');
    socket.write(startup(database));
    await client.until('Z');
    const key = client.frames().find(({ letter }) => letter === 'K');
    if (key) client.key = [key.body.readInt32BE(0), key.body.readInt32BE(4)];
    client.#chunks = [];
    return client;
  }

  /** All that came since the log-in. */
  get received(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  send(...frames: Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  frames(): { letter: string; body: Buffer }[] {
    const found: { letter: string; body: Buffer }[] = [];
    const received = this.received;
    for (let at = 0; received.length - at >= 5; ) {
      const size = received.readUInt32BE(at + 1) + 1;
      if (received.length - at < size) break;
      found.push({
        letter: String.fromCharCode(received[at] as number),
        body: received.subarray(at + 5, at + size),
      });
      at += size;
    }
    return found;
  }

  letters(): string {
    return this.frames()
      .map(({ letter }) => letter)
      .join('');
  }

  /** Waits until so many frames of a letter have come, or the connection has ended. */
  async until(letter: string, count = 1): Promise<void> {
    const enough = () => this.frames().filter((one) => one.letter === letter).length >= count;
    while (!enough() && !this.socket.destroyed) {
      await new Promise<void>((resolve) => {
        this.#came = resolve;
      });
    }
    if (!enough()) throw new Error(`The connection ended after ${JSON.stringify(this.letters())}.`);
  }

  close(): void {
    this.socket.destroy();
  }
}
