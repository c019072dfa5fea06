/** One request and its reply, with the two boundaries of a request that can write. */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Fired, Place, WireControl } from './control.ts';
import { nameRequest } from './http-name.ts';
import { returnedHeaders, type Upstream } from './http-upstream.ts';
import { Window } from './link.ts';

/** Of a longer body the beginning is waited for, and the rest is forwarded as it comes. */
const BODY_BYTES = 8 << 20;

/** Settles when a stream can be written to again, or never will. */
function writable(stream: ClientRequest | ServerResponse): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

export class Exchange {
  readonly #control: WireControl;
  readonly #upstream: Upstream;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #place: Place;
  readonly #source: AsyncIterator<Buffer>;
  /** What came of the body: all of it where `whole`. */
  #body: Buffer[] = [];
  #whole = false;
  /** The request goes to the service once more; the client gets the answer to the last one. */
  #again = false;

  constructor(control: WireControl, upstream: Upstream, request: IncomingMessage, response: ServerResponse) {
    this.#control = control;
    this.#upstream = upstream;
    this.#request = request;
    this.#response = response;
    this.#place = control.place(nameRequest(request.method ?? 'GET', request.url ?? '/'));
    this.#source = request.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    response.sendDate = false;
    response.on('error', () => {});
  }

  /** Never throws: a failure on one side is a closed connection on the other. */
  async run(): Promise<void> {
    try {
      await this.#run();
    } catch {
      this.#cut();
    }
  }

  #cut(): void {
    // A client that is being killed finds out by itself.
    if (!this.#control.dead) this.#request.socket.destroy();
  }

  async #run(): Promise<void> {
    const { before, after } = this.#place;
    if (before !== undefined || after !== undefined) await this.#gather();
    // The step was killed, perhaps by the request of another connection.
    if (this.#control.dead) return;
    if (before !== undefined) {
      const fired = this.#control.reach(before, (action) => action !== 'repeat' || this.#whole);
      if (fired && !(await this.#strike(fired))) return;
    }
    let reply = await this.#deliver();
    if (this.#again) {
      this.#again = false;
      await this.#drop(reply);
      reply = await this.#deliver();
    }
    if (after === undefined) await this.#stream(reply);
    else await this.#finish(reply, after);
  }

  /** Waits for the request's body, or for as much of it as is kept. */
  async #gather(): Promise<void> {
    let bytes = 0;
    while (bytes <= BODY_BYTES) {
      const { done, value } = await this.#source.next();
      if (done) {
        this.#whole = true;
        return;
      }
      this.#body.push(value);
      bytes += value.length;
    }
  }

  /** @returns true where the exchange goes on */
  async #strike(fired: Fired): Promise<boolean> {
    if (fired.action === 'kill') {
      this.#control.kill();
      return false;
    }
    if (fired.action === 'hold' || fired.action === 'delay-reply') return this.#control.released(fired);
    if (fired.action === 'repeat') {
      this.#again = true;
      return true;
    }
    if (fired.action === 'error-reply') {
      this.#response.writeHead(500, { 'content-type': 'application/json' });
      this.#response.end('{"error":"The drill put this reply in the place of the service\'s own."}\n');
      return false;
    }
    this.#request.socket.resetAndDestroy();
    return false;
  }

  /** Sends the request. @returns the reply's head */
  async #deliver(): Promise<IncomingMessage> {
    const sent = this.#upstream.open(this.#request);
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve);
      sent.on('error', reject);
      sent.on('close', () => reject(new Error('The service closed the connection.')));
    });
    reply.catch(() => {});
    this.#endWithClient(sent);
    for (const chunk of this.#body) sent.write(chunk);
    if (!this.#whole) {
      // A body too long to be repeated goes out once, as it comes.
      this.#body = [];
      try {
        for (let next = await this.#source.next(); !next.done; next = await this.#source.next()) {
          sent.write(next.value);
          await writable(sent);
          if (sent.destroyed) break;
        }
      } catch (error) {
        sent.destroy();
        throw error;
      }
    }
    sent.end();
    return reply;
  }

  /** A client that goes away takes its request along, but only once the service has all of it. */
  #endWithClient(sent: ClientRequest): void {
    const client = this.#response;
    const left = () => {
      if (client.writableFinished) return;
      if (sent.writableFinished) sent.destroy();
      else sent.once('finish', () => setImmediate(() => sent.destroy()));
    };
    client.once('close', left);
    sent.once('close', () => client.off('close', left));
  }

  async #drop(reply: IncomingMessage): Promise<void> {
    for await (const _ of reply);
  }

  #head(reply: IncomingMessage): void {
    const headers = returnedHeaders(reply, this.#upstream.target, this.#request.headers.host);
    this.#response.writeHead(reply.statusCode ?? 502, reply.statusMessage, headers);
  }

  async #write(chunk: Buffer): Promise<void> {
    this.#response.write(chunk);
    await writable(this.#response);
  }

  #end(reply: IncomingMessage): void {
    const trailers: [string, string][] = [];
    for (let at = 0; at < reply.rawTrailers.length; at += 2) {
      trailers.push([reply.rawTrailers[at] as string, reply.rawTrailers[at + 1] as string]);
    }
    if (trailers.length > 0) this.#response.addTrailers(trailers);
    this.#response.end();
  }

  /** Hands a reply on as it comes: events and downloads must not wait for their end. */
  async #stream(reply: IncomingMessage): Promise<void> {
    this.#head(reply);
    this.#response.flushHeaders();
    for await (const chunk of reply) await this.#write(chunk);
    this.#end(reply);
  }

  /** Hands a reply on once it is complete; of a long one, the end is held back until then. */
  async #finish(reply: IncomingMessage, after: string): Promise<void> {
    const events = /^text\/event-stream/i.test(reply.headers['content-type'] ?? '');
    const window = new Window();
    const pass = events && !this.#control.armed(after);
    if (pass) {
      this.#head(reply);
      this.#response.flushHeaders();
    }
    for await (const chunk of reply) {
      const out = pass ? [chunk] : window.push(chunk);
      if (out.length > 0 && !this.#response.headersSent) this.#head(reply);
      for (const slice of out) await this.#write(slice);
    }
    if (this.#control.dead) return;
    const able = (action: string) =>
      action === 'repeat'
        ? this.#whole && !this.#response.headersSent
        : action !== 'error-reply' || !this.#response.headersSent;
    const fired = this.#control.reach(after, able);
    if (fired && !(await this.#strike(fired))) return;
    if (this.#again) {
      await this.#stream(await this.#deliver());
      return;
    }
    if (!this.#response.headersSent) this.#head(reply);
    for (const slice of window.take()) this.#response.write(slice);
    this.#end(reply);
  }
}
