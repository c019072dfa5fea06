/**
 * The published document of the experiment, computed from what was observed: evidence, ends, replies and traces of
 * the sixteen scenarios. The fields that describe the experiment are its name; every figure in `cases` is read.
 */
import { canonicalJson } from '../../core/canonical.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ExecutorEnd, StepRecord } from '../../drill/model.ts';
import { type Evidence, type PanelId, panel, type Row } from '../../evidence/model.ts';
import type { OracleSpec } from '../contract.ts';
import { DEFAULT_KEY, LEASE_TICKS } from './terms.ts';

type Records = readonly StepRecord[];

function step(records: Records, label: string): StepRecord {
  const found = records.find((record) => record.label === label);
  if (!found) throw new Error(`the scenario has no step ${label}`);
  return found;
}

function evidenceOf(record: StepRecord): Evidence {
  if (!record.evidence) throw new Error(`step ${record.label} left no evidence`);
  return record.evidence;
}

const count = (evidence: Evidence, id: PanelId, store: string): number =>
  panel(evidence, id).rows.filter((row) => row.store === store).length;

const outboxRow = (evidence: Evidence): Row | undefined =>
  panel(evidence, 'operation').rows.find((row) => row.key === DEFAULT_KEY);

/** The counts that the published experiment calls a snapshot. */
function snapshot(record: StepRecord): JsonObject {
  const evidence = evidenceOf(record);
  const row = outboxRow(evidence);
  return {
    attempts: row?.cells.attempts ?? 0,
    external_tickets: count(evidence, 'target', 'external'),
    intent_rows: panel(evidence, 'operation').rows.filter(({ cells }) => cells.request === 'recorded').length,
    receiver_receipts: count(evidence, 'receipts', 'receiver'),
    receiver_tickets: count(evidence, 'target', 'receiver'),
    response: row?.cells.response ?? null,
    sender_state: row?.cells.state ?? 'absent',
  };
}

const last = (records: Records): StepRecord => records.at(-1) as StepRecord;
const replyOf = (record: StepRecord): JsonObject => record.executors[0]?.reply ?? {};

function tracePids(record: StepRecord, what: (line: StepRecord['trace'][number]) => boolean): Set<number> {
  return new Set(record.trace.filter(what).map((line) => line.pid));
}

/** Did a process of this step get as far as delivering? */
function delivered(record: StepRecord): boolean {
  const places = ['before-receive', 'before-external-effect'];
  return tracePids(record, (line) => 'boundary' in line && places.includes(line.boundary)).size > 0;
}

const around =
  (word: 'restart' | 'retry') =>
  (records: Records): JsonObject => ({
    [`before_${word}`]: snapshot(step(records, 'crashed')),
    [`after_${word}`]: snapshot(last(records)),
  });

const lostAck = (records: Records): JsonObject => ({
  ...around('restart')(records),
  restart_status: replyOf(last(records)).status ?? null,
});

function loses(records: Records): JsonObject {
  return { after_restart: snapshot(last(records)), restart_status: replyOf(last(records)).status ?? null };
}

function mismatched(records: Records): JsonObject {
  const changed = step(records, 'changed');
  const untouched = canonicalJson(panel(evidenceOf(changed), 'target').rows as unknown as Json);
  const before = canonicalJson(
    panel(evidenceOf(step(records, 'dispatch')), 'target').rows as unknown as Json,
  );
  return {
    receiver_tickets: count(evidenceOf(changed), 'target', 'receiver'),
    rejected: replyOf(changed).status === 'conflict' && untouched === before,
  };
}

function concurrentClaim(records: Records): JsonObject {
  const race = step(records, 'race');
  const recovered = step(records, 'recovered');
  const released = step(records, 'released');
  const row = (record: StepRecord) => canonicalJson((outboxRow(evidenceOf(record))?.cells ?? null) as Json);
  const refused = replyOf(released).status === 'stale_claim' && row(recovered) === row(released);
  return {
    after_recovery: snapshot(last(records)),
    claim_winners: tracePids(race, (line) => 'commit' in line && line.name === 'claim').size,
    stale_ack_accepted: !refused,
    workers: race.executors.length,
  };
}

function concurrentReceiver(records: Records): JsonObject {
  const race = last(records);
  const response = (end: ExecutorEnd) => canonicalJson(end.reply?.response ?? null);
  return {
    receiver_receipts: count(evidenceOf(race), 'receipts', 'receiver'),
    receiver_tickets: count(evidenceOf(race), 'target', 'receiver'),
    unique_responses: new Set(race.executors.map(response)).size,
    workers: race.executors.length,
  };
}

function externalEffect(records: Records): JsonObject {
  const later = records
    .slice(records.indexOf(step(records, 'crashed')) + 1)
    .filter((r) => r.command === 'dispatch');
  return { after_restart: snapshot(last(records)), automatic_retry: later.some(delivered) };
}

function unsafeRetry(records: Records): JsonObject {
  const bypassed = records.some((record, index) => {
    const before = records[index - 1]?.evidence;
    return before != null && outboxRow(before)?.cells.state === 'unknown' && delivered(record);
  });
  return {
    external_tickets: count(evidenceOf(last(records)), 'target', 'external'),
    policy_bypassed_for_counterexample: bypassed,
  };
}

const CASES: Record<string, (records: Records) => JsonObject> = {
  after_ack: around('restart'),
  after_claim: around('restart'),
  after_external_effect: externalEffect,
  after_intent_commit: around('retry'),
  after_response_before_ack: around('restart'),
  after_response_write: around('restart'),
  before_external_effect: externalEffect,
  before_intent_commit: around('retry'),
  before_receiver_commit: around('restart'),
  concurrent_claim: concurrentClaim,
  concurrent_receiver: concurrentReceiver,
  idempotent_lost_ack: lostAck,
  mark_before_send_loses_task: loses,
  mismatched_payload: mismatched,
  naive_lost_ack: lostAck,
  unsafe_external_retry: unsafeRetry,
};

const scenarioOf = (name: string): string => `outbox/${name.replaceAll('_', '-')}`;

/** The clock at which scenarios dispatch again, as they did: the published experiment says it in its document. */
function replayClock(records: Record<string, Records>): number {
  return Math.max(...Object.values(records).flatMap((list) => list.map((record) => record.now)));
}

/** @returns the scenarios to run, and the document computed from their records */
export function oracleSpec(): OracleSpec {
  return {
    scenarios: Object.keys(CASES).map(scenarioOf),
    document(records) {
      const cases = Object.entries(CASES).map(([name, observe]) => [
        name,
        observe(records[scenarioOf(name)] ?? []),
      ]);
      return {
        cases: Object.fromEntries(cases) as JsonObject,
        clock: `explicit logical ticks; lease length ${LEASE_TICKS}; replay at ${replayClock(records)}`,
        experiment: 'agent-reliability-01',
        measurement_scope:
          'local synthetic ticket side effects; process exits and restarts; no model or production benchmark',
        schema_version: 1,
      };
    },
  };
}
