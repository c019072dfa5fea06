/** Words of this lab, shared by both sides; no dependency. */

export const RUNS = {
  id: 'runs',
  file: 'runs.sqlite',
  tables: ['runs', 'compensations', 'events', 'decisions'],
  panels: ['operation', 'receipts', 'events'],
} as const;
export const TICKETS = {
  id: 'tickets',
  file: 'tickets.sqlite',
  tables: ['service', 'tickets', 'voids', 'ground_truth'],
  panels: ['target', 'receipts'],
} as const;
export const STORES = [RUNS, TICKETS];

export const CREATE_TOOL = 'create_review_ticket';
export const VOID_TOOL = 'void_review_ticket';

export interface Action {
  source: string;
  title: string;
  tool: string;
}

export interface RunContext {
  tenant: string;
  principal: string;
  policyVersion: number;
  allowed: boolean;
}

export const DEFAULT_RUN = 'run-1';
export const DEFAULT_BUDGET = 2;
export const MAX_BUDGET = 100;
export const DEFAULT_ACTION: Action = {
  source: 'source-001',
  title: '核验 Agent Harness 资料',
  tool: CREATE_TOOL,
};
export const DEFAULT_CONTEXT: RunContext = {
  tenant: 'team-a',
  principal: 'alice',
  policyVersion: 1,
  allowed: true,
};

/** Longer than this, a field is no field any more: malformed, nothing recorded. */
export const MAX_FIELD = 4096;
/** Longer than this, a field is well-formed and not valid: recorded as such. */
export const MAX_VALID_FIELD = 200;
/** Names that become part of keys: tenant, principal, run, operation key. */
export const MAX_NAME = 128;
export const MAX_TICKS = 1_000_000;

export type RunState =
  | 'created'
  | 'waiting_approval'
  | 'denied'
  | 'dispatching'
  | 'verifying'
  | 'reconcile_required'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'budget_exhausted';

export const FINAL: readonly string[] = ['succeeded', 'failed', 'cancelled', 'budget_exhausted'];

export type CompensationState =
  | 'waiting_approval'
  | 'denied'
  | 'dispatching'
  | 'verifying'
  | 'compensated'
  | 'failed';

export const COMPENSATION_FINAL: readonly string[] = ['compensated', 'failed'];

export type Slot = 'ticket' | 'compensation';

/** Identity of an operation: tenant, run and slot. The same for the first dispatch and for every retry. */
export function operationId(tenant: string, run: string, slot: Slot): string {
  // Names may hold what stands between them here, and two operations must never share one identity.
  const [of, task] = [tenant, run].map((name) => name.replace(/[%/:]/g, encodeURIComponent));
  return `${of}/${task}:${slot}`;
}

/** A ticket's name in evidence, replies and texts. */
export function ticketName(id: number): string {
  return `ticket-${id}`;
}

export type Safeguard =
  | 'ownership-needs-dispatch'
  | 'look-up-before-dispatch'
  | 'stable-key'
  | 'attempt-with-intent'
  | 'approval-binding'
  | 'frozen-contract'
  | 'acceptance-reads-the-target'
  | 'cancel-reconciles'
  | 'policy-on-resume';

/** True while the rule of that name is on. */
export function keeps(without: ReadonlySet<string>, safeguard: Safeguard): boolean {
  return !without.has(safeguard);
}
