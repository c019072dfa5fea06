/** The server's end of the wire: the SDK's stdio transport, with the misbehaviour that a drill asks for. */

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { boundary } from '../../boundary/boundary.ts';
import { writeOut } from '../../core/fs.ts';
import type { Answer } from './words.ts';

const OVERSIZED = 10 * 1024 * 1024;
const HALF_REPLY_EXIT = 9;

type Reply = Extract<JSONRPCMessage, { id?: RequestId | undefined; result: unknown }>;

/** Writes at once; the peer's end of the pipe closes the server. */
function writeNow(bytes: string): void {
  try {
    writeOut(bytes);
  } catch {
    process.exit(0);
  }
}

/** A reply as bytes, wrong in the way asked for; what is not listed is written as it is. */
function wrong(answer: Answer, reply: Reply): string | null {
  const { id, result } = reply;
  const error = { code: -32000, message: 'failed' };
  switch (answer) {
    case 'malformed':
      return JSON.stringify({ jsonrpc: '2.0', id, result: { content: 'no list' } });
    case 'other-version':
      return JSON.stringify({ jsonrpc: '1.0', id, result });
    case 'result-and-error':
      return JSON.stringify({ jsonrpc: '2.0', id, result, error });
    case 'neither':
      return JSON.stringify({ jsonrpc: '2.0', id });
    case 'batch':
      return JSON.stringify([reply]);
    case 'oversized':
      return JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: ' '.repeat(OVERSIZED) }] },
      });
    default:
      return null;
  }
}

export class ServerWire implements Transport {
  onmessage?: Transport['onmessage'];
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** Called once, after the next reply to a call has been written. */
  afterNextReply: (() => void) | undefined;
  private readonly inner = new StdioServerTransport();
  private readonly answer: Answer;
  private readonly calls = new Set<RequestId>();
  private kept = '';

  constructor(answer: Answer) {
    this.answer = answer;
  }

  /** Marks a request as a call of the tool: its reply passes the boundary and the misbehaviour. */
  answers(requestId: RequestId): void {
    this.calls.add(requestId);
  }

  async start(): Promise<void> {
    this.inner.onmessage = (message) => this.onmessage?.(message);
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onclose = () => this.onclose?.();
    await this.inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isCallReply = 'id' in message && message.id !== undefined && this.calls.delete(message.id);
    if (!isCallReply || !('result' in message)) return this.inner.send(message);
    boundary('before-reply');
    this.write(message as Reply);
    const after = this.afterNextReply;
    this.afterNextReply = undefined;
    after?.();
  }

  private write(reply: Reply): void {
    const whole = `${JSON.stringify(reply)}\n`;
    if (this.answer === 'half') {
      writeNow(whole.slice(0, whole.length / 2));
      process.exit(HALF_REPLY_EXIT);
    }
    if (this.answer === 'together' && this.kept === '') {
      this.kept = whole;
      return;
    }
    if (this.answer === 'noise') writeNow('a line of log on standard output\n');
    const bytes = wrong(this.answer, reply);
    writeNow(bytes === null ? this.kept + whole : `${bytes}\n`);
    this.kept = '';
  }

  async close(): Promise<void> {
    await this.inner.close();
  }
}
