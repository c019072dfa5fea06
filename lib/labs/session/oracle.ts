/**
 * The published document, from real processes and databases (README.md, "The published document"). Every member is
 * read from replies, message logs and tables; the golden file is for the comparison alone.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import type { Evidence, Row } from '../../evidence/model.ts';
import type { OracleSpec } from '../contract.ts';
import { documentOf, messagesOf, operationsOf, ticketsOf } from './facts.ts';

/** Which scenario each member of the document is observed in. */
const SOURCES = {
  cancel_unknown_request: 'session/cancel-unknown-request',
  cancelled_call_late_reply: 'session/cancelled-call-late-reply',
  catalogue_changed_while_listing: 'session/catalogue-changed',
  concurrent_writers_same_version: 'session/two-writers',
  disconnect_after_commit: 'session/disconnect-after-commit',
  errors_kept_apart: 'session/errors-kept-apart',
  fresh_version_after_conflict: 'session/fresh-version-after-conflict',
  incompatible_protocol_version: 'session/unknown-protocol-version',
  initialize_cannot_be_cancelled: 'session/initialize-cannot-be-cancelled',
  key_reused_with_other_parameters: 'session/key-reused',
  malformed_reply: 'session/malformed-reply',
  parallel_retries_one_key: 'session/parallel-retries',
  replies_out_of_order: 'session/replies-out-of-order',
  tools_before_initialization: 'session/tools-before-initialization',
  tools_before_initialized_notification: 'session/tools-before-initialized',
  tools_capability_absent: 'session/no-tools-capability',
} as const;
const DEMO = 'session/late-reply-on-a-new-connection';

type Name = keyof typeof SOURCES;

/** One run, with what the document asks of it. */
class Run {
  private readonly records: readonly StepRecord[];

  constructor(records: readonly StepRecord[] | undefined) {
    this.records = records ?? [];
  }

  /** The record of a step: an evidence that was not taken is an empty one. */
  evidence(label?: string): Evidence {
    const record = label ? this.records.find((one) => one.label === label) : this.records.at(-1);
    if (!record?.evidence) throw new Error(`No evidence of step ${label ?? 'end'}.`);
    return record.evidence;
  }

  replies(...labels: string[]): JsonObject[] {
    return this.records
      .filter((record) => labels.includes(record.label))
      .flatMap((record) => record.executors.map((end) => end.reply ?? {}));
  }

  /** What an action of a conversation came to. */
  outcome(name: string, label = 'talk'): JsonObject {
    const [reply] = this.replies(label);
    const outcomes = reply?.outcomes;
    const found = isObject(outcomes) ? outcomes[name] : undefined;
    return isObject(found) ? found : {};
  }

  refused(name: string): boolean {
    return this.outcome(name).status === 'refused';
  }

  messages(label?: string): Row[] {
    return messagesOf(this.evidence(label));
  }

  uncertain(label?: string): string[] {
    return operationsOf(this.evidence(label))
      .filter((row) => row.cells.status === 'uncertain')
      .map((row) => row.key);
  }

  tickets(): JsonObject[] {
    return ticketsOf(this.evidence()).map((row) => row.cells);
  }

  version(): Json {
    return documentOf(this.evidence())?.cells.version ?? null;
  }

  /** Whether the first message of that method carried an id, as it stood on the wire. */
  hasId(method: string): Json {
    return this.messages().find((row) => row.cells.method === method)?.cells.hasId ?? null;
  }

  /** Names of the requests still open after the n-th message that was noted so. */
  pendingAfter(note: string, n: number, label?: string): Json {
    return (
      this.messages(label).filter((row) => row.cells.note === note && row.cells.method === 'tools/call')[n]
        ?.cells.pending ?? null
    );
  }
}

const accepted = (replies: JsonObject[]): boolean[] => replies.map((reply) => reply.accepted === true);
const word = (value: Json | undefined): Json => value ?? null;

/** True where each reply was recorded against the request that its own content speaks of. */
function matchedBy(run: Run): string {
  const replies = run.messages().filter(({ cells }) => cells.direction === 'in' && cells.about !== null);
  const order = run
    .messages()
    .filter(({ cells }) => cells.direction === 'out' && cells.method === 'tools/call')
    .map(({ cells }) => cells.operation);
  if (replies.some(({ cells }) => cells.operation !== cells.about)) return 'neither';
  const inOrder = replies.every(({ cells }, index) => cells.operation === order[index]);
  return inOrder ? 'order or id' : 'id';
}

const CONTRACTS: Record<Name, (run: Run) => JsonObject> = {
  // Said by the client, and believed only where the log and the record say it too.
  cancel_unknown_request: (run) => ({
    effect:
      run.messages().some(({ cells }) => cells.method === 'notifications/cancelled') ||
      operationsOf(run.evidence()).length > 0
        ? 'unknown'
        : word(run.outcome('cancel').effect),
  }),
  cancelled_call_late_reply: (run) => ({
    late_response: word(run.outcome('late').status),
    notification_has_id: run.hasId('notifications/cancelled'),
    uncertain: run.uncertain('talk'),
  }),
  catalogue_changed_while_listing: (run) => ({
    after_fresh_listing: word(run.outcome('again').status),
    call_refused: run.refused('early'),
    listing: word(run.outcome('listing').status),
    notice: word(
      run.messages().find((row) => row.cells.method === 'notifications/tools/list_changed')?.cells.note,
    ),
  }),
  concurrent_writers_same_version: (run) => ({
    accepted: accepted(run.replies('a-writes', 'b-writes')).filter(Boolean).length,
    document_version: run.version(),
  }),
  disconnect_after_commit: (run) => ({
    late_response: word(run.outcome('late').status),
    source: word(run.tickets()[0]?.source),
    tickets: run.tickets().length,
    uncertain: run.uncertain('talk'),
  }),
  errors_kept_apart: (run) => ({
    protocol: word(run.outcome('protocol').reason),
    tool: word(run.outcome('tool').reason),
  }),
  fresh_version_after_conflict: (run) => ({
    accepted: accepted(run.replies('first', 'stale', 'fresh')),
    body: documentOf(run.evidence())?.cells.body ?? null,
    document_version: run.version(),
  }),
  incompatible_protocol_version: (run) => ({
    refused: run.refused('open'),
    state: word(run.outcome('open').state),
  }),
  initialize_cannot_be_cancelled: (run) => ({ refused: run.refused('cancel') }),
  key_reused_with_other_parameters: (run) => ({
    refused: run.replies('other').some((reply) => reply.status === 'operation-conflict'),
    tickets: run.tickets().length,
  }),
  malformed_reply: (run) => {
    const pending = run.pendingAfter('malformed_reply', 0, 'talk');
    return {
      refused: run.outcome('call').status === 'malformed_reply',
      request_still_pending: Array.isArray(pending) && pending.includes('op-1'),
    };
  },
  parallel_retries_one_key: (run) => ({
    distinct_ticket_ids: new Set(run.replies('retries').map((reply) => reply.ticket)).size,
    tickets: run.tickets().length,
  }),
  replies_out_of_order: (run) => ({
    matched_by: matchedBy(run),
    pending_after_second: run.pendingAfter('completed', 0),
    pending_at_end: run.pendingAfter('completed', 1),
  }),
  tools_before_initialization: (run) => ({ refused: run.refused('early') }),
  tools_before_initialized_notification: (run) => ({
    notification_has_id: run.hasId('notifications/initialized'),
    refused: run.refused('listing') && run.refused('early'),
    then_notification: word(
      run.messages().find(({ cells }) => cells.direction === 'out' && cells.note === 'notification')?.cells
        .method,
    ),
  }),
  tools_capability_absent: (run) => ({ refused: run.refused('listing') && run.refused('call') }),
};

function demo(run: Run): JsonObject {
  const [ticket] = run.tickets();
  return {
    actual_ticket: ticket ? [word(ticket.ticket), word(ticket.source)] : [],
    actual_ticket_count: run.tickets().length,
    concurrent_updates_accepted: accepted(run.replies('a-writes', 'b-writes')).filter(Boolean).length,
    document_version: run.version(),
    late_response: word(run.outcome('late').status),
    needs_reconciliation: run.uncertain(),
  };
}

export const oracle: OracleSpec = {
  scenarios: [...Object.values(SOURCES), DEMO],
  document(records) {
    const contracts = Object.entries(CONTRACTS).map(([name, observe]) => [
      name,
      observe(new Run(records[SOURCES[name as Name]])),
    ]);
    return {
      contracts: Object.fromEntries(contracts) as JsonObject,
      demo: demo(new Run(records[DEMO])),
      experiment: 'session',
      schema_version: 1,
    };
  },
};
