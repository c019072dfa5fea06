/**
 * The client's end of the wire: the SDK's transport, wrapped in this lab's own rules (README.md, "Rules of the
 * wire"). Everything here is synchronous between two messages, so the log is the order in which things happened.
 */
import type { ChildProcess } from 'node:child_process';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { boundary } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { Ledger } from './ledger.ts';
import { type Judged, judge, ticketOf } from './replies.ts';
import { callOf, type Pending, Refusal, Requests, type State, type Stop } from './requests.ts';
import { Waiting } from './waiting.ts';
import { GRACE_MS, isAmong, keeps, MAX_MESSAGE_BYTES, PROTOCOL_VERSION, SHORT_GRACE_MS } from './words.ts';

export interface WireOptions {
  ledger: Ledger;
  child: ChildProcess;
  epoch: number;
  without: ReadonlySet<string>;
  stop: Stop | null;
}

export class ClientWire implements Transport {
  onmessage?: Transport['onmessage'];
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly epoch: number;
  state: State = 'connecting';
  readonly requests: Requests;
  readonly waiting = new Waiting();
  stderr = '';
  /** Every message that came in, in order: what it was and whom it concerned. */
  readonly seen: { note: string; name: string | null }[] = [];
  hasTools = false;
  /** A bounded wait has passed without any sign of life. */
  unresponsive = false;
  /** Chunks since the last whole message, and whole messages in the present chunk. */
  private chunks = 0;
  private inChunk = 0;
  private readonly inner: StdioServerTransport;
  private readonly options: WireOptions;
  private generation = 0;
  private fresh = false;
  private gate: (() => void) | null = null;
  private stop: Stop | null;
  private readonly ended: Promise<void>;

  constructor(options: WireOptions) {
    this.options = options;
    this.epoch = options.epoch;
    this.requests = new Requests(options.epoch, keeps(options.without, 'epoch-in-identity'));
    this.stop = options.stop;
    const { child } = options;
    if (!child.stdout || !child.stdin) throw new DrillError('defect', 'The server has no pipes.');
    // The SDK's transport over a pair of streams; its client class starts the process itself and hides how it ended.
    this.inner = new StdioServerTransport(child.stdout, child.stdin, { maxBufferSize: MAX_MESSAGE_BYTES });
    child.stdin.on('error', () => {});
    child.stderr?.on('data', (chunk: Buffer) => {
      if (this.stderr.length < 8_192) this.stderr += chunk.toString('utf8');
    });
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.waiting.guard(() => this.end());
        // The program's own lines are the same in every run; a stack trace is not, and goes into the reply alone.
        const log = this.stderr
          .split('\n')
          .filter((line) => /^(starting|ready)$/.test(line))
          .join(', ');
        if (!this.waiting.failure) {
          this.waiting.guard(() => options.ledger.serverEnd(this.epoch, { code, signal, log }));
        }
        resolve();
        this.waiting.changed();
      });
    });
  }

  async start(): Promise<void> {
    const { child } = this.options;
    child.stdout?.on('data', () => {
      this.chunks += 1;
      this.inChunk = 0;
    });
    this.inner.onmessage = (message) => void this.waiting.guard(() => this.arrived(message, 'stdio'));
    this.inner.onerror = (error) => void this.waiting.guard(() => this.unreadable(error, 'stdio'));
    await this.inner.start();
  }

  /** Lets a stopped handshake go on. */
  proceed(): void {
    this.stop = null;
    const go = this.gate;
    this.gate = null;
    go?.();
  }

  stopped(): boolean {
    return this.gate !== null;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      if ('method' in message && 'id' in message) return await this.sendRequest(message);
      if ('method' in message) return await this.sendNotification(message);
      await this.inner.send(message);
    } catch (error) {
      // The SDK tells whoever has asked; the store's failure ends the conversation besides.
      if (error instanceof DrillError) this.waiting.fail(error);
      throw error;
    }
  }

  private async sendRequest(message: JSONRPCMessage & { method: string; id: RequestId }): Promise<void> {
    const { method } = message;
    if (method.startsWith('tools/')) this.admit(method);
    if (method === 'initialize' && this.stop === 'before-initialize') await this.gated();
    const n = Number(message.id);
    const out = { ...message, id: this.requests.wireId(n) } as JSONRPCMessage;
    const call = method === 'tools/call' ? callOf(message) : null;
    const name = call?.operation ?? method;
    const record = this.requests.add(n, { method, name, generation: this.generation });
    const entry = {
      direction: 'out' as const,
      transport: 'stdio' as const,
      method,
      id: String(this.requests.wireId(n)),
      note: 'request',
      pending: this.requests.pending(),
    };
    if (call) {
      const intent = { ...call, request: record.identity };
      if (!this.options.ledger.intent(this.epoch, intent, { ...entry, operation: call.operation })) {
        this.requests.drop(n);
        throw new Refusal('superseded', `${call.operation} was taken up by another client meanwhile.`);
      }
      boundary('before-send');
      await this.inner.send(out);
      boundary('after-send');
      return;
    }
    if (method === 'initialize') this.state = 'initializing';
    this.options.ledger.message(this.epoch, entry, {
      begins: { request: record.identity, method, name: record.name },
      state: this.state,
      ...(method === 'initialize' && this.options.child.pid ? { server: this.options.child.pid } : {}),
    });
    const sent = this.inner.send(out);
    if (method === 'initialize' && this.stop === 'after-initialize') this.gate = () => {};
    this.waiting.changed();
    await sent;
  }

  /** Tools wait for `initialized`, for the capability, and (calls) for a fresh catalogue. */
  private admit(method: string): void {
    if (this.state !== 'ready') {
      throw new Refusal('not-initialized', `The connection is ${this.state}; tools wait for initialized.`);
    }
    if (!this.hasTools) throw new Refusal('no-tools-capability', 'The server has no tools capability.');
    if (method === 'tools/call' && !this.fresh && keeps(this.options.without, 'fresh-catalogue')) {
      throw new Refusal('stale-catalogue', 'The catalogue is not fresh; list the tools first.');
    }
  }

  private async gated(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.gate = resolve;
      this.waiting.changed();
    });
    if (this.state === 'disconnected') throw new Refusal('disconnected', 'The connection is over.');
  }

  private async sendNotification(message: JSONRPCMessage & { method: string }): Promise<void> {
    const { method } = message;
    if (method === 'notifications/cancelled') return this.sendCancel(message);
    if (method === 'notifications/initialized') {
      if (this.stop === 'before-initialized') await this.gated();
      this.state = 'ready';
    }
    this.options.ledger.message(
      this.epoch,
      {
        direction: 'out',
        transport: 'stdio',
        method,
        note: 'notification',
        pending: this.requests.pending(),
      },
      { state: this.state },
    );
    await this.inner.send(message);
    this.waiting.changed();
  }

  private async sendCancel(message: JSONRPCMessage & { method: string }): Promise<void> {
    const params = 'params' in message && isObject(message.params) ? message.params : {};
    const n = Number(params.requestId);
    const record = this.requests.get(n);
    if (record?.status !== 'pending') return;
    if (record.method === 'initialize') {
      throw new Refusal('initialize-cannot-be-cancelled', 'A client must not cancel initialize.');
    }
    record.status = 'cancelled';
    const why = /timed out/.test(String(params.reason)) ? 'timeout' : 'cancelled';
    const entry = {
      direction: 'out' as const,
      transport: 'stdio' as const,
      method: message.method,
      note: why,
      pending: this.requests.pending(),
    };
    const out = { ...message, params: { ...params, requestId: this.requests.wireId(n) } } as JSONRPCMessage;
    const { ledger } = this.options;
    if (record.method === 'tools/call') {
      ledger.outcome(
        this.epoch,
        {
          operation: record.name,
          request: record.identity,
          requestStatus: 'cancelled',
          status: 'uncertain',
          reason: why,
          ticket: null,
        },
        { ...entry, operation: record.name },
      );
    } else {
      ledger.message(this.epoch, entry, { ends: { request: record.identity, status: 'cancelled' } });
    }
    await this.inner.send(out);
    this.waiting.changed();
  }

  /** Delivers recorded bytes as if this connection had received them. */
  deliver(bytes: string): string {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(bytes);
    } catch (error) {
      return this.unreadable(error as Error, 'recorded');
    }
    return this.arrived(message, 'recorded');
  }

  private arrived(message: JSONRPCMessage, transport: 'stdio' | 'recorded'): string {
    if (this.state === 'disconnected') return 'disconnected';
    const n = 'id' in message ? this.requests.counterOf(message.id) : null;
    const record = this.requests.get(n);
    if (transport === 'stdio') {
      this.inChunk += 1;
      if (record) record.arrival = this.inChunk > 1 ? 'together' : this.chunks > 1 ? 'in-parts' : 'whole';
      this.chunks = 0;
    }
    const note =
      'method' in message
        ? this.notified(message, transport)
        : this.replied(message as unknown as Json, record, transport);
    const about = ticketOf(message as unknown as Json).operation;
    this.seen.push({ note, name: record?.name ?? about });
    this.waiting.changed();
    return note;
  }

  private notified(message: JSONRPCMessage & { method: string }, transport: 'stdio' | 'recorded'): string {
    const changed = message.method === 'notifications/tools/list_changed';
    if (changed) {
      this.generation += 1;
      this.fresh = false;
    }
    const note = changed ? 'catalog_invalidated' : 'notification';
    this.options.ledger.message(
      this.epoch,
      { direction: 'in', transport, method: message.method, note, pending: this.requests.pending() },
      changed ? { catalogue: 'stale' } : {},
    );
    this.onmessage?.(message);
    return note;
  }

  private replied(reply: Json, record: Pending | undefined, transport: 'stdio' | 'recorded'): string {
    const id = isObject(reply) ? reply.id : undefined;
    const judged = judge(reply, record, {
      generation: this.generation,
      mustBeFresh: keeps(this.options.without, 'fresh-catalogue'),
      mustBeAbout: keeps(this.options.without, 'epoch-in-identity'),
    });
    const { operation: about, ticket } = ticketOf(reply);
    const entry = {
      direction: 'in' as const,
      transport,
      ...(record ? { method: record.method } : {}),
      ...(id === undefined ? {} : { id: String(id) }),
      ...(about ? { about } : {}),
      ...(ticket === null ? {} : { ticket }),
      note: judged.note,
    };
    if (!record || !judged.settles) {
      if (record && judged.note === 'malformed_reply') record.note = judged.note;
      this.options.ledger.message(this.epoch, { ...entry, pending: this.requests.pending() });
      return judged.note;
    }
    record.note = this.settle(record, judged, reply, entry);
    this.onmessage?.({ ...(reply as object), id: record.n } as JSONRPCMessage);
    return record.note;
  }

  private settle(
    record: Pending,
    judged: Judged,
    reply: Json,
    entry: { direction: 'in'; transport: 'stdio' | 'recorded'; note: string },
  ): string {
    const { ledger } = this.options;
    if (record.method === 'tools/call') {
      boundary('after-receive');
      record.status = judged.good ? 'completed' : 'failed';
      const { ticket, maker } = ticketOf(reply);
      // The service answers an equal call with the ticket that is there, whoever made it.
      const ours =
        isAmong(maker, ledger.requestsOf(record.name)) || !keeps(this.options.without, 'own-effect');
      const good = judged.good && ours;
      const note = judged.good && !good ? 'ticket-of-another' : judged.note;
      return ledger.outcome(
        this.epoch,
        {
          operation: record.name,
          request: record.identity,
          requestStatus: record.status,
          status: good ? 'completed' : 'uncertain',
          reason: good ? null : note,
          ticket: good ? ticket : null,
        },
        { ...entry, note, operation: record.name, pending: this.requests.pending() },
      );
    }
    record.status = judged.good ? 'completed' : 'failed';
    if (record.method === 'tools/list' && judged.note === 'catalog_received') this.fresh = true;
    if (record.method === 'initialize' && isObject(reply) && isObject(reply.result)) {
      this.hasTools = isObject(reply.result.capabilities) && isObject(reply.result.capabilities.tools);
      this.state = reply.result.protocolVersion === PROTOCOL_VERSION ? 'initialized' : this.state;
    }
    ledger.message(
      this.epoch,
      { ...entry, pending: this.requests.pending() },
      {
        ends: { request: record.identity, status: record.status },
        state: this.state,
        ...(record.method === 'tools/list' && this.fresh ? { catalogue: 'fresh' } : {}),
      },
    );
    return judged.note;
  }

  /** Bytes that are no JSON-RPC 2.0 message belong to no request: nothing is completed by them. */
  private unreadable(error: Error, transport: 'stdio' | 'recorded'): string {
    if (this.state === 'disconnected') return 'disconnected';
    const oversized = error.message.includes('maximum size');
    const note = oversized ? 'oversized_message' : 'malformed_reply';
    this.options.ledger.message(this.epoch, {
      direction: 'in',
      transport,
      note,
      pending: this.requests.pending(),
    });
    for (const record of this.requests.all()) {
      if (record.status === 'pending' && record.method === 'tools/call') record.note = note;
    }
    if (oversized) void this.close();
    this.waiting.changed();
    return note;
  }

  private end(): void {
    if (this.state === 'disconnected') return;
    this.state = 'disconnected';
    for (const record of this.requests.all()) if (record.status === 'pending') record.status = 'lost';
    try {
      if (!this.waiting.failure) this.options.ledger.disconnect(this.epoch, this.state);
    } finally {
      this.onclose?.();
      this.waiting.changed();
    }
  }

  /** Ends the connection: the client's decision is recorded first, then the server's end is awaited. */
  async close(): Promise<void> {
    const { child } = this.options;
    this.waiting.guard(() => this.end());
    this.proceed();
    child.stdin?.end();
    child.stdout?.resume();
    const timer = setTimeout(() => child.kill('SIGKILL'), this.unresponsive ? SHORT_GRACE_MS : GRACE_MS);
    await this.ended;
    clearTimeout(timer);
  }
}
