/** What a reply is worth. Pure: the wire acts on it. */
import { isObject, type Json } from '../../core/json.ts';

export interface Judged {
  /** The word recorded beside the message. */
  note: string;
  /** It answers the request, well or badly; false leaves the request as it is. */
  settles: boolean;
  /** It answers it with a usable result. */
  good: boolean;
}

interface Asked {
  method: string;
  /** The operation of a call. */
  name: string;
  status: string;
  generation: number;
}

export interface Named {
  ticket: number | null;
  operation: string | null;
  /** The request that made the ticket; null where another client did, or nothing was said. */
  maker: string | null;
}

/** What a call's result names. */
export function ticketOf(reply: Json): Named {
  const result = isObject(reply) ? reply.result : undefined;
  const content = isObject(result) ? result.structuredContent : undefined;
  if (!isObject(content)) return { ticket: null, operation: null, maker: null };
  return {
    ticket: Number.isSafeInteger(content.ticket) ? (content.ticket as number) : null,
    operation: typeof content.operation === 'string' ? content.operation : null,
    maker: typeof content.request === 'string' ? content.request : null,
  };
}

/** Whether a result has the shape that its method promises: a call that went well names its ticket. */
function wellFormed(method: string, result: Json | undefined): boolean {
  if (!isObject(result)) return false;
  if (method === 'initialize') return typeof result.protocolVersion === 'string';
  if (method === 'tools/list') return Array.isArray(result.tools);
  if (method !== 'tools/call') return true;
  const content =
    Array.isArray(result.content) &&
    result.content.every((part) => isObject(part) && typeof part.type === 'string');
  const { ticket, operation } = ticketOf({ result });
  return content && (result.isError === true || (ticket !== null && operation !== null));
}

const GOOD: Record<string, string> = {
  initialize: 'initialize_result',
  'tools/list': 'catalog_received',
  'tools/call': 'completed',
};

/**
 * Judges a reply against the request it names.
 *
 * @param asked the request of this connection with that identity; undefined where there is none
 * @param rules `mustBeAbout`: a good reply about another operation is no answer, whatever identity it carries
 */
export function judge(
  reply: Json,
  asked: Asked | undefined,
  rules: { generation: number; mustBeFresh: boolean; mustBeAbout: boolean },
): Judged {
  if (asked?.status !== 'pending') return { note: 'ignored_response', settles: false, good: false };
  if (!isObject(reply)) return { note: 'malformed_reply', settles: false, good: false };
  if ('error' in reply) return { note: 'protocol_error', settles: true, good: false };
  if (!wellFormed(asked.method, reply.result)) {
    return { note: 'malformed_reply', settles: false, good: false };
  }
  if (asked.method === 'tools/call' && isObject(reply.result) && reply.result.isError === true) {
    return { note: 'tool_error', settles: true, good: false };
  }
  const { operation } = ticketOf(reply);
  if (rules.mustBeAbout && operation !== null && operation !== asked.name) {
    return { note: 'ignored_response', settles: false, good: false };
  }
  if (asked.method === 'tools/list' && asked.generation !== rules.generation && rules.mustBeFresh) {
    return { note: 'stale_catalog', settles: true, good: true };
  }
  return { note: GOOD[asked.method] ?? 'completed', settles: true, good: true };
}
