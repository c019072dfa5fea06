/** `converse`: a list of actions over one connection after another, through the SDK's own client. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { spawnRole } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { Ledger } from './ledger.ts';
import { type Pending, Refusal, type Stop } from './requests.ts';
import { probeService, recordedReply, sameParameters } from './service.ts';
import { ClientWire } from './wire.ts';
import { BOUNDED_WAIT_MS, REPLY_WAIT_MS, type ServerSpec, TOOL } from './words.ts';

/** Unanswered calls are given up once this many pings sent after them have come back: a wait with no clock. */
const PATIENCE_PINGS = 2;
/** Only there to end a server that outlives its client's own bounded waits. */
const SERVER_DEADLINE_MS = 25_000;

export type Action = { as?: string } & (
  | { do: 'connect'; server?: ServerSpec; stop?: Stop }
  | { do: 'continue' }
  | { do: 'list-tools'; wait?: boolean }
  | { do: 'ping'; wait?: boolean }
  | {
      do: 'call';
      operation: string;
      source: string;
      title: string;
      tool?: string;
      patience?: 'reply' | 'pings' | 'bounded';
      wait?: boolean;
    }
  | { do: 'await'; request: string; note?: string }
  | { do: 'cancel'; request: string }
  | { do: 'deliver'; reply: string }
  | { do: 'disconnect' }
);
type Doing<T extends Action['do']> = Extract<Action, { do: T }>;

interface Connection {
  client: Client;
  wire: ClientWire;
  /** The SDK's connect, settled or not. */
  opening: { done: boolean; error: unknown };
  calls: Map<string, AbortController>;
}

const refused = (word: string, message: string): JsonObject => ({
  status: 'refused',
  why: word,
  message,
  definite: true,
});

export class Conversation {
  readonly ledger: Ledger;
  readonly outcomes: JsonObject = {};
  readonly connections: JsonObject = {};
  private readonly dir: string;
  private readonly without: ReadonlySet<string>;
  private current: Connection | null = null;

  constructor(dir: string, without: ReadonlySet<string>, ledger: Ledger) {
    this.dir = dir;
    this.without = without;
    this.ledger = ledger;
  }

  /** Goes through the actions; a refusal is an outcome and the rest goes on. The last connection is always closed. */
  async run(actions: readonly Action[]): Promise<void> {
    try {
      for (const [index, action] of actions.entries()) {
        this.outcomes[action.as ?? `${index + 1}-${action.do}`] = await this.attempt(action);
      }
    } finally {
      if (this.current) await this.disconnect();
    }
  }

  private async attempt(action: Action): Promise<JsonObject> {
    try {
      return await this.perform(action);
    } catch (error) {
      if (error instanceof Refusal) return refused(error.word, error.message);
      if (error instanceof DrillError && error.code === 'refused') return refused('refused', error.message);
      throw error;
    }
  }

  private perform(action: Action): Promise<JsonObject> | JsonObject {
    switch (action.do) {
      case 'connect':
        return this.connect(action);
      case 'continue':
        return this.proceed();
      case 'list-tools':
      case 'ping':
        return this.ask(action);
      case 'call':
        return this.call(action);
      case 'await':
        return this.awaitReply(action);
      case 'cancel':
        return this.cancel(action);
      case 'deliver':
        return {
          status: this.connected().wire.deliver(recordedReply(this.dir, action.reply)),
          transport: 'recorded',
        };
      case 'disconnect':
        return this.disconnect();
    }
  }

  private need(): Connection {
    if (!this.current) throw new Refusal('not-connected', 'There is no connection; nothing was sent.');
    return this.current;
  }

  /** For what is sent or delivered: a connection can have died by itself meanwhile. */
  private connected(): Connection {
    const connection = this.need();
    if (connection.wire.state === 'disconnected') {
      throw new Refusal('not-connected', 'The connection is over; nothing was sent.');
    }
    return connection;
  }

  private async connect({ server = {}, stop }: Doing<'connect'>): Promise<JsonObject> {
    if (this.current) await this.disconnect();
    const epoch = this.ledger.openConnection();
    const program = join(import.meta.dirname, server.missing ? 'no-such-server.ts' : 'server.ts');
    const child = spawnRole('server', program, {
      args: [JSON.stringify({ dir: this.dir, spec: server })],
      deadlineMs: SERVER_DEADLINE_MS,
    });
    const { ledger, without } = this;
    const wire = new ClientWire({ ledger, child, epoch, without, stop: stop ?? null });
    const client = new Client({ name: 'recovery-drills', version: '1.0.0' });
    client.onerror = () => {};
    const opening: Connection['opening'] = { done: false, error: null };
    this.current = { client, wire, opening, calls: new Map() };
    void client
      .connect(wire, { timeout: REPLY_WAIT_MS })
      .catch((error: unknown) => {
        opening.error = error;
      })
      .finally(() => {
        opening.done = true;
        wire.waiting.changed();
      });
    return this.opened();
  }

  private async opened(): Promise<JsonObject> {
    const connection = this.need();
    const { wire, opening } = connection;
    await wire.waiting.until(() => opening.done || wire.stopped(), REPLY_WAIT_MS * 2);
    if (!opening.done) return { status: 'stopped', state: wire.state };
    if (opening.error === null && wire.state === 'ready') return { status: 'ready', epoch: wire.epoch };
    // Whatever went wrong, the connection is given up as a whole.
    const incompatible = wire.requests.find('initialize')?.status === 'completed';
    const end = await this.disconnect();
    const why = incompatible ? 'incompatible-version' : 'no-connection';
    return {
      ...refused(why, 'The connection was not made.'),
      state: 'disconnected',
      server: end.server ?? null,
    };
  }

  private proceed(): Promise<JsonObject> {
    this.need().wire.proceed();
    return this.opened();
  }

  private async ask(action: Doing<'list-tools'> | Doing<'ping'>): Promise<JsonObject> {
    const { client, wire } = this.connected();
    let refusal: unknown = null;
    const before = wire.requests.size;
    const asked: Promise<unknown> = action.do === 'ping' ? client.ping() : client.listTools();
    const settled = asked.then(
      () => {},
      (error: unknown) => {
        refusal = error;
      },
    );
    const record = wire.requests.all()[before];
    if (!record) {
      await settled;
      throw refusal;
    }
    if (action.wait === false) return { status: 'asked' };
    await wire.waiting.until(() => record.status !== 'pending' || record.note !== null, REPLY_WAIT_MS);
    return { status: record.note ?? record.status };
  }

  /** What the record says about this operation already, or null where the call may be sent. */
  private known(action: Doing<'call'>): JsonObject | null {
    const before = this.ledger.operation(action.operation);
    if (!before) return null;
    // Before anything else: a key that found no ticket is still the key of what was asked for under it.
    if (!sameParameters(before, { tool: TOOL, ...action })) {
      return refused('other-parameters', `${action.operation} is recorded with another tool or parameters.`);
    }
    if (before.status === 'not-found' || before.reason === 'no-ticket-yet') return null;
    if (before.status === 'completed' || before.status === 'reconciled') {
      return { status: before.status, ticket: before.ticket, sent: false };
    }
    if (before.status === 'void') {
      return refused('void', `${action.operation} was given up by a decision; nothing was sent.`);
    }
    return refused(before.status, `${action.operation} is ${before.status}; reconcile decides about it.`);
  }

  private async call(action: Doing<'call'>): Promise<JsonObject> {
    const { client, wire, calls } = this.connected();
    const known = this.known(action);
    if (known) return known;
    const { operation, source, title, tool = TOOL, patience = 'reply' } = action;
    const controller = new AbortController();
    calls.set(operation, controller);
    let refusal: unknown = null;
    const before = wire.requests.size;
    const settled = client
      .request(
        { method: 'tools/call', params: { name: tool, arguments: { operation, source, title } } },
        CallToolResultSchema,
        { signal: controller.signal, timeout: patience === 'bounded' ? BOUNDED_WAIT_MS : REPLY_WAIT_MS },
      )
      .then(
        () => {},
        (error: unknown) => {
          refusal = error;
        },
      );
    const record = wire.requests.all()[before];
    if (!record) {
      await settled;
      throw refusal;
    }
    if (action.wait === false) return { status: 'sent' };
    if (patience === 'pings') await this.losePatience(record, controller);
    await wire.waiting.until(() => record.status !== 'pending' || record.note !== null, REPLY_WAIT_MS * 2);
    if (patience === 'bounded' && record.status === 'cancelled') wire.unresponsive = true;
    return this.ended(record);
  }

  private async losePatience(record: Pending, controller: AbortController): Promise<void> {
    const { client, wire } = this.need();
    for (let ping = 0; ping < PATIENCE_PINGS && wire.state === 'ready'; ping += 1) {
      await client.ping().catch(() => {});
    }
    if (record.status === 'pending' && wire.state === 'ready') controller.abort('timed out');
  }

  private ended(record: Pending): JsonObject {
    const after = this.ledger.operation(record.name);
    const arrival: JsonObject = record.arrival ? { arrival: record.arrival, transport: 'stdio' } : {};
    if (record.status === 'pending')
      return { status: record.note ?? 'pending', request: 'pending', ...arrival };
    const status = after?.status ?? 'uncertain';
    if (status === 'completed' || status === 'reconciled') {
      return { status, ticket: after?.ticket ?? null, ...arrival };
    }
    return { status, reason: after?.reason ?? null, effect: 'unknown', ...arrival };
  }

  private async awaitReply({ request, note }: Doing<'await'>): Promise<JsonObject> {
    const { wire } = this.need();
    const record = wire.requests.find(request);
    const came = () =>
      note === undefined
        ? record === undefined || record.status !== 'pending'
        : wire.seen.some((message) => message.note === note && message.name === request);
    const inTime = await wire.waiting.until(() => came() || wire.state === 'disconnected', REPLY_WAIT_MS);
    if (note !== undefined && came()) return { status: note, transport: 'stdio' };
    if (!inTime) return { status: 'nothing-came' };
    return record?.method === 'tools/call'
      ? this.ended(record)
      : { status: record?.note ?? 'unknown-request' };
  }

  private async cancel({ request }: Doing<'cancel'>): Promise<JsonObject> {
    const { client, wire, calls } = this.connected();
    const record = wire.requests.find(request);
    if (record?.status !== 'pending') return { status: 'no-such-request', effect: 'none' };
    const controller = calls.get(request);
    if (controller) controller.abort('cancelled');
    else {
      await client.notification({ method: 'notifications/cancelled', params: { requestId: record.n } });
    }
    return { status: 'cancelled', effect: record.method === 'tools/call' ? 'unknown' : 'none' };
  }

  private async disconnect(): Promise<JsonObject> {
    const { wire, client } = this.need();
    await client.close();
    await wire.close();
    this.current = null;
    const { code, signal } = this.ledger.connection(wire.epoch) as {
      code: number | null;
      signal: string | null;
    };
    const server = { code, signal, stderr: wire.stderr.slice(-2_000) };
    this.connections[String(wire.epoch)] = server;
    return { status: 'disconnected', server };
  }
}

/**
 * Opens the ledger, marks what clients that have ended left in flight, goes through the actions.
 *
 * @throws DrillError `no-database` where either file is missing: a server without its service only dies
 */
export async function converse(
  dir: string,
  without: ReadonlySet<string>,
  actions: readonly Action[],
): Promise<{
  recovered: string[];
  uncertain: string[];
  /** Why each of them is uncertain. */
  reasons: (string | null)[];
  outcomes: JsonObject;
  connections: JsonObject;
}> {
  probeService(dir);
  const ledger = new Ledger(dir, without);
  try {
    const recovered = ledger.recoverLost();
    const conversation = new Conversation(dir, without, ledger);
    await conversation.run(actions);
    const { outcomes, connections } = conversation;
    const open = ledger.operations().filter(({ status }) => status === 'uncertain');
    const uncertain = open.map(({ operation }) => operation);
    return { recovered, uncertain, reasons: open.map(({ reason }) => reason), outcomes, connections };
  } finally {
    ledger.close();
  }
}
