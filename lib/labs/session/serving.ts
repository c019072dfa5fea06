/** What the server offers: one tool, whose effect and recorded reply are one commit in `service.sqlite`. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CancelledNotificationSchema,
  ErrorCode,
  InitializeRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { blockUntil, without } from '../../boundary/boundary.ts';
import { isObject } from '../../core/json.ts';
import { translate } from '../../sqlite/open.ts';
import { InOrder } from './in-order.ts';
import { ServerWire } from './server-wire.ts';
import { createTicket, openService, type Ticket, type TicketOutcome } from './service.ts';
import { type Answer, PROTOCOL_VERSION, type ServerSpec, TOOL } from './words.ts';

const INFO = { name: 'review-desk', version: '1.0.0' };
const MAX_TEXT = 200;
/** Far more than a pipe holds (64 KiB on Linux), so that no single read can take the reply whole. */
const PADDING = 300_000;

const TOOL_SPEC = {
  name: TOOL,
  description: 'Creates one review ticket for an operation; the same key and parameters make no second one.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      operation: { type: 'string' },
      source: { type: 'string' },
      title: { type: 'string' },
    },
    required: ['operation', 'source', 'title'],
  },
};

function text(args: unknown, name: string): string | null {
  const value = isObject(args) ? args[name] : undefined;
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT ? value : null;
}

function toolError(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

function ticketResult(ticket: Ticket, padding = ''): CallToolResult {
  return {
    content: [{ type: 'text', text: `ticket ${ticket.id}${padding}` }],
    structuredContent: { operation: ticket.key, ticket: ticket.id, request: ticket.request },
  };
}

interface Call {
  requestId: string | number;
  args: unknown;
}

class Desk {
  private readonly db;
  private readonly answer: Answer;
  private readonly wire: ServerWire;
  /** Replies kept back until something else has happened, by what lets them go. */
  private readonly waiting = new Map<string | number, () => void>();
  private calls = 0;

  constructor(dir: string, answer: Answer, wire: ServerWire) {
    this.db = openService(dir);
    this.answer = answer;
    this.wire = wire;
  }

  /** Commits, then answers as this server was told to behave. */
  async call({ requestId, args }: Call): Promise<CallToolResult> {
    const [key, source, title] = ['operation', 'source', 'title'].map((name) => text(args, name));
    if (!key || !source || !title) {
      return toolError(`operation, source and title must be texts of 1 to ${MAX_TEXT} characters.`);
    }
    this.calls += 1;
    const made = this.create(requestId, { key, source, title });
    if (made.status === 'operation-conflict') {
      return toolError(`${key} was used before with other parameters; nothing was made.`);
    }
    await this.behave(requestId);
    return ticketResult(made.ticket, this.answer === 'in-parts' ? ' '.repeat(PADDING) : '');
  }

  private create(
    requestId: string | number,
    ticket: { key: string; source: string; title: string },
  ): TicketOutcome {
    try {
      return createTicket(
        this.db,
        {
          ...ticket,
          tool: TOOL,
          actor: 'server',
          boundaries: { before: 'before-ticket-commit', after: 'after-ticket' },
          reply: {
            request: String(requestId),
            bytes: (made) => JSON.stringify({ jsonrpc: '2.0', id: requestId, result: ticketResult(made) }),
          },
        },
        without(),
      );
    } catch (error) {
      const known = translate(error);
      throw new McpError(ErrorCode.InternalError, known instanceof Error ? known.message : String(known));
    }
  }

  private async behave(requestId: string | number): Promise<void> {
    if (this.answer === 'hung') blockUntil(() => false);
    if (this.answer === 'never') await new Promise(() => {});
    if (this.answer === 'after-cancel') await this.released(requestId);
    if (this.answer === 'second-first' && this.calls === 1) {
      await new Promise<void>((resolve) => {
        this.wire.afterNextReply = resolve;
      });
    }
  }

  private released(requestId: string | number): Promise<void> {
    return new Promise((resolve) => this.waiting.set(requestId, resolve));
  }

  cancelled(requestId: string | number | undefined): void {
    if (requestId !== undefined) this.waiting.get(requestId)?.();
  }
}

/**
 * Serves on standard input and output until the input ends.
 *
 * @throws DrillError `no-database` before init
 */
export async function serve(dir: string, spec: ServerSpec): Promise<void> {
  const order = new InOrder();
  const hasTools = spec.tools !== false;
  const server = new Server(INFO, { capabilities: hasTools ? { tools: { listChanged: true } } : {} });
  const answer = spec.answer ?? 'normal';
  const wire = new ServerWire(answer);
  const desk = new Desk(dir, answer, wire);
  if (spec.protocolVersion && spec.protocolVersion !== PROTOCOL_VERSION) {
    const { protocolVersion } = spec;
    server.setRequestHandler(InitializeRequestSchema, () => ({
      protocolVersion,
      capabilities: hasTools ? { tools: {} } : {},
      serverInfo: INFO,
    }));
  }
  if (hasTools) {
    let changes = spec.changesWhileListing === true;
    server.setRequestHandler(ListToolsRequestSchema, async () => {
      if (changes) {
        changes = false;
        await server.sendToolListChanged();
      }
      return { tools: [TOOL_SPEC] };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
      order.afterClient();
      if (params.name !== TOOL) {
        throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
      }
      wire.answers(requestId);
      return desk.call({ requestId, args: params.arguments });
    });
  }
  // Replaces the SDK's own handler, which would drop the reply: a commit is not undone by a cancellation.
  server.setNotificationHandler(CancelledNotificationSchema, ({ params }) => {
    desk.cancelled(params.requestId);
  });
  process.stdin.on('end', () => process.exit(0));
  process.stdout.on('error', () => process.exit(0));
  await server.connect(wire);
}
