/** One client's connection and its connection to the service, with a look at what passes between them. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Fired, WireControl, WireOptions } from './control.ts';

/** Takes the next bytes; a promise stops the flow in this direction until it settles. */
export type Walk = (chunk: Buffer) => Promise<void> | undefined;

/** What follows one connection: both directions. */
export interface Follower {
  request: Walk;
  reply: Walk;
}

/** As much of a reply is held back at most; before that, its beginning is handed on. */
const WINDOW_BYTES = 1 << 20;

/** The end of a reply that has not been handed on. */
export class Window {
  #slices: Buffer[] = [];
  #bytes = 0;

  /** @returns what leaves the window at its other end: a reply of any size is never kept whole */
  push(slice: Buffer): Buffer[] {
    // Small pieces are the rule; a large one is cut so that the window keeps its size.
    for (let at = 0; at < slice.length; at += WINDOW_BYTES / 4) {
      this.#slices.push(slice.subarray(at, at + WINDOW_BYTES / 4));
    }
    this.#bytes += slice.length;
    const out: Buffer[] = [];
    for (
      let first = this.#slices[0];
      first && this.#bytes - first.length >= WINDOW_BYTES;
      first = this.#slices[0]
    ) {
      out.push(first);
      this.#bytes -= first.length;
      this.#slices.shift();
    }
    return out;
  }

  /** @returns all that was held back */
  take(): Buffer[] {
    const all = this.#slices;
    this.#slices = [];
    this.#bytes = 0;
    return all;
  }
}

export class Link {
  readonly client: Socket;
  readonly service: Socket;
  readonly #control: WireControl;
  #stopped = false;

  constructor(client: Socket, service: Socket, control: WireControl) {
    this.client = client;
    this.service = service;
    this.#control = control;
  }

  follow({ request, reply }: Follower): void {
    // A client that is gone has sent what it has sent: the service still gets it, and works on it.
    this.#pump(this.client, this.service, request, () => this.service.end());
    this.#pump(this.service, this.client, reply, () => this.client.destroySoon());
  }

  #pump(source: Socket, sink: Socket, walk: Walk, end: () => void): void {
    let held = false;
    const ended = () => {
      if (!held && !this.#stopped) end();
    };
    const flow = () => {
      if (held) return;
      if (sink.writableNeedDrain) source.pause();
      else source.resume();
    };
    source.on('data', (chunk: Buffer) => {
      if (this.#stopped) return;
      const waiting = walk(chunk);
      if (waiting) {
        held = true;
        source.pause();
        waiting.finally(() => {
          held = false;
          if (source.destroyed || source.readableEnded) ended();
          else flow();
        });
      } else if (sink.writableNeedDrain) flow();
    });
    source.on('end', () => {
      if (this.#stopped) source.destroy();
      // What is held goes before the end.
      else if (!held) sink.end();
    });
    // What a connection died of is passed on as its end.
    source.on('error', () => {});
    source.on('close', ended);
    sink.on('drain', flow);
    sink.on('close', flow);
  }

  /**
   * Lets a fault act on this connection.
   *
   * @param go goes on with what was stopped, where the connection lives on
   */
  strike(fired: Fired, go: () => Promise<void> | undefined): Promise<void> | undefined {
    if (fired.action === 'kill') {
      this.#control.kill();
      return undefined;
    }
    if (fired.action === 'hold') {
      return this.#control.released(fired).then((on) => (on && !this.#stopped ? go() : undefined));
    }
    this.#stopped = true;
    this.client.resetAndDestroy();
    this.service.destroy();
    return undefined;
  }

  /** Forwards nothing more. The client is left to find out by itself: it is being killed. */
  silence(): void {
    this.#stopped = true;
    this.service.destroy();
    this.client.resume();
  }

  destroy(): void {
    this.#stopped = true;
    this.client.destroy();
    this.service.destroy();
  }
}

/** A server that gives every connection a connection to the service, and a follower. */
export function linkServer(
  options: WireOptions,
  control: WireControl,
  follower: (link: Link) => Follower,
): { server: Server; silence(): void; destroy(): void } {
  const links = new Set<Link>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (control.dead) {
      client.destroy();
      return;
    }
    const service = connect({ ...options.target, allowHalfOpen: true, noDelay: true });
    const link = new Link(client, service, control);
    links.add(link);
    client.on('close', () => {
      if (service.destroyed) links.delete(link);
    });
    service.on('close', () => {
      if (client.destroyed) links.delete(link);
    });
    link.follow(follower(link));
  });
  const each = (act: (link: Link) => void) => () => {
    for (const link of links) act(link);
  };
  return { server, silence: each((link) => link.silence()), destroy: each((link) => link.destroy()) };
}
