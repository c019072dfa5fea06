/**
 * The published document of the experiment, computed from what was observed: each call from the arguments that were
 * run, each observation from the evidence after it. What describes the experiment is its text; no figure is.
 */
import { canonicalJson } from '../../core/canonical.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { type Evidence, panel } from '../../evidence/model.ts';
import type { OracleSpec } from '../contract.ts';
import { approvalDigest } from './approval.ts';
import { operationRow, type Subject, subjectOf } from './facts.ts';
import { DEFAULT_ACTION, DEFAULT_BUDGET, DEFAULT_CONTEXT, DEFAULT_RUN, operationId } from './words.ts';

type Records = readonly StepRecord[];

const CRASH_EXIT = 86;
const REFUSED_EXIT = 3;
const CALLS = ['run', 'create', 'inspect'];

const CASES = [
  'approval_missing',
  'approval_of_an_older_policy',
  'approval_of_another_action',
  'approval_of_another_tenant',
  'budget_one_crash_before_effect',
  'budget_zero',
  'cancel_after_dispatch_ticket_absent',
  'cancel_after_dispatch_ticket_there',
  'cancel_before_dispatch',
  'contract_changed_on_resume',
  'crash_after_effect',
  'crash_after_effect_resumed_without_approval',
  'crash_after_result',
  'crash_after_validation',
  'crash_before_effect',
  'invalid_action',
  'key_already_used_with_other_content',
  'normal_run_twice',
  'policy_denied',
  'policy_revoked_on_resume',
  'same_key_two_tenants',
  'tool_succeeds_with_wrong_content',
];

const scenarioOf = (name: string): string => `write-recovery/${name.replaceAll('_', '-')}`;

function contextOf(value: Json | undefined): JsonObject {
  const { tenant, principal, policyVersion, allowed } = isObject(value) ? value : { ...DEFAULT_CONTEXT };
  return { allowed, policy_version: policyVersion, principal, tenant } as JsonObject;
}

const differs = (a: Json | undefined, b: Json): boolean =>
  a !== undefined && canonicalJson(a) !== canonicalJson(b);

/** What an approval says it was issued for. */
function approvalFor(approval: Json | undefined): JsonObject | null {
  if (!isObject(approval)) return null;
  const { action, policyVersion, principal, run, tenant } = approval;
  return { action, policy_version: policyVersion, principal, run, tenant } as JsonObject;
}

function runCall({ args, fault }: StepRecord): JsonObject {
  const context = contextOf(args.context);
  const approval = approvalFor(args.approval);
  const fired = fault.fired[0]?.at.replaceAll('-', '_');
  return {
    ...(differs(context, contextOf(undefined)) ? { context } : {}),
    ...(args.run !== DEFAULT_RUN ? { run_id: args.run as Json } : {}),
    ...(differs(args.action, { ...DEFAULT_ACTION }) ? { action: args.action as Json } : {}),
    ...(differs(args.expected, args.action as Json) ? { expected: args.expected as Json } : {}),
    ...(approval ? { approval_for: approval } : {}),
    ...(args.budget !== DEFAULT_BUDGET ? { max_attempts: args.budget as Json } : {}),
    ...(args.cancel === true ? { cancelled: true } : {}),
    ...(fired ? { fault: fired } : {}),
  };
}

function callOf(record: StepRecord): JsonObject {
  const { command, args } = record;
  if (command === 'create') {
    return { action: args.action, command, key: args.key, tenant: args.tenant } as JsonObject;
  }
  return { command, ...(command === 'run' ? runCall(record) : {}) };
}

function evidenceOf(record: StepRecord): Evidence {
  if (!record.evidence) throw new Error(`step ${record.label} left no evidence`);
  return record.evidence;
}

/** State, attempts and events of a run, as they stand after a step. */
function figures(evidence: Evidence, subject: Subject): JsonObject {
  const cells = operationRow(evidence, subject, 'ticket')?.cells;
  const key = operationId(subject.tenant, subject.run, 'ticket');
  const events = panel(evidence, 'events').rows.filter((row) => row.cells.operation === key);
  return {
    attempts: cells?.attempts ?? null,
    events: events.map((row) => row.cells.kind as Json),
    state: cells?.state ?? null,
  };
}

const visible = (evidence: Evidence): string => canonicalJson(evidence.panels as unknown as Json);

/** Refused and changed nothing: the exit says the one, the evidence before and after the other. */
function refused(record: StepRecord, before: Evidence | undefined): boolean {
  if (record.executors[0]?.code !== REFUSED_EXIT || !before) return false;
  return visible(before) === visible(evidenceOf(record));
}

function observe(records: Records, record: StepRecord, subject: Subject): JsonObject {
  const before = records[records.indexOf(record) - 1]?.evidence ?? undefined;
  // A final state that is returned again leaves the evidence alone as well; it answers with that state.
  const own = figures(evidenceOf(record), subject);
  const returned = record.executors[0]?.reply?.status === own.state;
  if (record.command === 'run' && !returned && refused(record, before)) return { refused: true };
  const crashed = record.executors[0]?.code === CRASH_EXIT;
  return { ...own, ...(crashed ? { crashed } : {}) };
}

function caseOf(records: Records): JsonObject {
  const calls = records.filter(({ command }) => CALLS.includes(command));
  const last = records.at(-1);
  let subject: Subject = { tenant: DEFAULT_CONTEXT.tenant, run: DEFAULT_RUN };
  const tenants = new Set<string>();
  const steps = calls.map((record): JsonObject => {
    subject = subjectOf(record) ?? subject;
    tenants.add(record.command === 'create' ? String(record.args.tenant) : subject.tenant);
    const call = callOf(record);
    return record.command === 'create' ? { call } : { call, observed: observe(records, record, subject) };
  });
  const tickets = last ? panel(evidenceOf(last), 'target').rows : [];
  const counted = [...tenants].map((tenant) => [
    tenant,
    tickets.filter(({ cells }) => cells.tenant === tenant).length,
  ]);
  return { steps, tickets: Object.fromEntries(counted) as JsonObject };
}

/** @returns the scenarios to run, and the document computed from their records */
export function oracleSpec(): OracleSpec {
  return {
    scenarios: CASES.map(scenarioOf),
    document(records) {
      const cases = CASES.map((name) => [name, caseOf(records[scenarioOf(name)] ?? [])]);
      return {
        approval_example: {
          of: 'SHA-256 over the canonical JSON (sorted keys, no spaces, non-ASCII kept, UTF-8) of {action: {source, title, tool}, policy: <policy version>, principal, run: <run id>, tenant} with the defaults',
          sha256: approvalDigest(DEFAULT_CONTEXT, DEFAULT_RUN, DEFAULT_ACTION),
        },
        cases: Object.fromEntries(cases) as JsonObject,
        defaults: {
          action: { ...DEFAULT_ACTION },
          context: contextOf(undefined),
          expected: 'equal to the action unless the case says otherwise',
          max_attempts: DEFAULT_BUDGET,
          run_id: DEFAULT_RUN,
        },
        experiment: 'write-recovery',
        note: 'each step: the call (what it does not name is the default; approval_for says what the given approval was issued for, none where it is missing) and what it observes: state, attempts and events so far; crashed where the call died at the fault, refused where it was refused and changed nothing; tickets are counted at the ticket service after the last step. Observed by running the published experiment.',
        schema_version: 1,
      };
    },
  };
}
