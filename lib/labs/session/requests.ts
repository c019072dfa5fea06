/** The requests of one connection, and what a client may be refused. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../core/json.ts';

export interface Pending {
  n: number;
  /** Identity across connections: `<epoch>:<counter>`. */
  identity: string;
  method: string;
  /** The operation of a call, the method of anything else. */
  name: string;
  status: 'pending' | 'completed' | 'failed' | 'cancelled' | 'lost';
  /** The last word about a reply to it. */
  note: string | null;
  /** Catalogue generation that a listing was asked in. */
  generation: number;
  /** How its reply came in from the real connection. */
  arrival: 'whole' | 'in-parts' | 'together' | null;
}

/** Where the opening handshake is stopped, to look at what is allowed there. */
export type Stop = 'before-initialize' | 'after-initialize' | 'before-initialized';

/** How far a connection has come. */
export type State = 'connecting' | 'initializing' | 'initialized' | 'ready' | 'disconnected';

/** A rule of the wire said no: the message was not sent. */
export class Refusal extends Error {
  readonly word: string;
  constructor(word: string, message: string) {
    super(message);
    this.word = word;
  }
}

export class Requests {
  private readonly byCounter = new Map<number, Pending>();
  private readonly epoch: number;
  /** Off: a request is its bare counter on the wire, as the SDK has it. */
  private readonly withEpoch: boolean;

  constructor(epoch: number, withEpoch: boolean) {
    this.epoch = epoch;
    this.withEpoch = withEpoch;
  }

  wireId(n: number): RequestId {
    return this.withEpoch ? `${this.epoch}:${n}` : n;
  }

  /** Which of our counters a wire identity means: the very text that was sent, and nothing that resembles it. */
  counterOf(id: unknown): number | null {
    const n = typeof id === 'string' ? Number(/^\d+:(\d+)$/.exec(id)?.[1]) : Number(id);
    return id === this.wireId(n) ? n : null;
  }

  get size(): number {
    return this.byCounter.size;
  }

  all(): Pending[] {
    return [...this.byCounter.values()];
  }

  get(n: number | null): Pending | undefined {
    return n === null ? undefined : this.byCounter.get(n);
  }

  add(n: number, request: { method: string; name: string; generation: number }): Pending {
    const identity = `${this.epoch}:${n}`;
    const record: Pending = { n, identity, ...request, status: 'pending', note: null, arrival: null };
    this.byCounter.set(n, record);
    return record;
  }

  /** Takes back a request that was never sent. */
  drop(n: number): void {
    this.byCounter.delete(n);
  }

  /** Names of those without an answer, in the order in which they were sent. */
  pending(): string[] {
    return this.all()
      .filter(({ status }) => status === 'pending')
      .map(({ name }) => name);
  }

  /** The last one of that name: an operation, or a method. */
  find(name: string): Pending | undefined {
    return this.all().findLast((record) => record.name === name);
  }
}

/** Operation and parameters of a call, as they stand in its arguments. */
export function callOf(message: JSONRPCMessage): {
  operation: string;
  tool: string;
  source: string;
  title: string;
} {
  const params = 'params' in message && isObject(message.params) ? message.params : {};
  const args = isObject(params.arguments) ? params.arguments : {};
  return {
    operation: String(args.operation),
    tool: String(params.name),
    source: String(args.source),
    title: String(args.title),
  };
}
