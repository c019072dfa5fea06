/**
 * `compensate`: a new operation that voids a wrong ticket, with its own key, approval and acceptance (README.md,
 * "Compensation"). It is never part of the run's failure branch, and it leaves the run's own state alone.
 */
import { boundary } from '../../boundary/boundary.ts';
import { EXIT } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type CommitOptions, commit, type Db } from '../../sqlite/open.ts';
import type { Outcome } from '../child.ts';
import { refusal } from './answer.ts';
import { approvalDigest } from './approval.ts';
import { addEvent, type RunRow, readRun, Superseded } from './record.ts';
import { type Ticket, ticketById, type Voided, voidTicket } from './service.ts';
import type { Work } from './stores.ts';
import {
  COMPENSATION_FINAL,
  type CompensationState,
  keeps,
  operationId,
  RUNS,
  type RunContext,
  ticketName,
  VOID_TOOL,
} from './words.ts';

export interface CompensationRow {
  state: CompensationState;
  attempts: number;
  ticket: number;
  residue: string;
}

export interface CompensateInput {
  context: RunContext;
  run: string;
  approval: string | null;
}

/** Where the original stands, and what was read of its compensation. Null: nothing is recorded of one yet. */
interface Case {
  run: RunRow;
  ticket: number;
  row: CompensationRow | null;
}

function readCompensation(db: Db, tenant: string, run: string): CompensationRow | null {
  const sql = 'SELECT state, attempts, ticket, residue FROM compensations WHERE tenant = ? AND run = ?';
  return (db.prepare(sql).get(tenant, run) as CompensationRow | undefined) ?? null;
}

interface Step {
  name: string;
  places: CommitOptions;
  state: CompensationState;
  event: [kind: string, detail: string];
  residue: string;
  attempts?: number;
}

/** @returns false where the record is no longer what this was decided from; nothing is written then */
function write(db: Db, { run: { tenant, run }, row: was }: Case, row: CompensationRow): boolean {
  const { state, attempts, ticket, residue } = row;
  if (!was) {
    const sql = `INSERT INTO compensations (tenant, run, state, attempts, ticket, residue)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, run) DO NOTHING`;
    return db.prepare(sql).run(tenant, run, state, attempts, ticket, residue).changes === 1;
  }
  const sql = `UPDATE compensations SET state = ?, attempts = ?, residue = ?
    WHERE tenant = ? AND run = ? AND state = ? AND attempts = ?`;
  const values = [state, attempts, residue, tenant, run, was.state, was.attempts];
  return db.prepare(sql).run(...values).changes === 1;
}

/** State and event in one commit, if the record is still what this was decided from. @throws Superseded */
function record(work: Work, at: Case, step: Step): Case {
  const row: CompensationRow = {
    state: step.state,
    attempts: step.attempts ?? at.row?.attempts ?? 0,
    ticket: at.ticket,
    residue: step.residue,
  };
  const recordIt = () => {
    if (!write(work.runs, at, row)) throw new Superseded();
    addEvent(work.runs, at.run, 'compensation', ...step.event);
  };
  commit(work.runs, RUNS.id, step.name, step.places, recordIt);
  return { ...at, row };
}

/** What is left of the original effect. */
function residueOf(ticket: Ticket | null, id: number): string {
  if (!ticket) return `${ticketName(id)} missing`;
  return ticket.status === 'void' ? 'none' : `${ticketName(id)} ${ticket.status}`;
}

const read = ({ tickets }: Work, at: Case): Ticket | null => ticketById(tickets, at.run.tenant, at.ticket);

const DECISION = { before: 'before-compensation-decision-commit', after: 'after-compensation-decision' };

function decision(work: Work, at: Case, state: CompensationState, kind: string, detail: string): Case {
  const residue = residueOf(read(work, at), at.ticket);
  return record(work, at, {
    name: 'compensation-decision',
    places: DECISION,
    state,
    event: [kind, detail],
    residue,
  });
}

/** Acceptance of its own: the ticket is read again, and what is left is named. */
function accept(work: Work, at: Case): Case {
  const residue = residueOf(read(work, at), at.ticket);
  const good = residue === 'none';
  return record(work, at, {
    name: 'compensation-final',
    places: { before: 'before-compensation-final-commit', after: 'after-compensation-final' },
    state: good ? 'compensated' : 'failed',
    event: [good ? 'compensation_succeeded' : 'compensation_failed', `residue: ${residue}`],
    residue,
  });
}

function result(work: Work, at: Case, kind: string, detail: string): Case {
  return record(work, at, {
    name: 'compensation-result',
    places: { before: 'before-compensation-result-commit', after: 'after-compensation-result' },
    state: 'verifying',
    event: [kind, detail],
    residue: residueOf(read(work, at), at.ticket),
  });
}

const VOIDED: Record<Voided, (ticket: string) => string> = {
  void: (ticket) => `${ticket} is void`,
  'void-already': (ticket) => `${ticket} is void`,
  in_review: () => 'refused: the ticket is in_review',
  missing: () => 'refused: the ticket is missing',
};

function dispatch(work: Work, decidedFrom: Case, acted: { made: boolean }): Case {
  const attempts = (decidedFrom.row?.attempts ?? 0) + 1;
  const at = record(work, decidedFrom, {
    name: 'compensation-intent',
    places: { before: 'before-compensation-intent-commit', after: 'after-compensation-intent' },
    state: 'dispatching',
    event: ['compensation_prepared', `attempt ${attempts}`],
    residue: residueOf(read(work, decidedFrom), decidedFrom.ticket),
    attempts,
  });
  boundary('before-void');
  const { tenant, run } = at.run;
  const voided = voidTicket(
    work.tickets,
    {
      tenant,
      key: `${run}:compensation`,
      ticket: at.ticket,
      maker: { operation: operationId(tenant, run, 'compensation'), actor: 'executor' },
    },
    { before: 'before-void-commit', after: 'after-void' },
  );
  acted.made = voided === 'void';
  return accept(work, result(work, at, 'void_result', VOIDED[voided](ticketName(at.ticket))));
}

function approved(
  { without }: Work,
  { context, run, approval }: CompensateInput,
  { action }: RunRow,
): boolean {
  if (approval === null) return false;
  const digest = approvalDigest(context, run, { ...action, tool: VOID_TOOL });
  return !keeps(without, 'approval-binding') || approval === digest;
}

function decide(work: Work, input: CompensateInput, at: Case, acted: { made: boolean }): Case {
  if (at.row && COMPENSATION_FINAL.includes(at.row.state)) return at;
  const asked = !at.row?.attempts || keeps(work.without, 'policy-on-resume');
  if (!input.context.allowed && asked) {
    return decision(
      work,
      at,
      'denied',
      'compensation_denied',
      `policy version ${input.context.policyVersion}`,
    );
  }
  if (read(work, at)?.status === 'void') {
    return accept(work, result(work, at, 'void_reconciled', `${ticketName(at.ticket)} is void already`));
  }
  if (!approved(work, input, at.run)) {
    const detail = 'no approval of exactly this';
    return decision(work, at, 'waiting_approval', 'compensation_approval_required', detail);
  }
  return dispatch(work, at, acted);
}

const EXIT_OF: Record<CompensationState, number> = {
  waiting_approval: EXIT.refused,
  denied: EXIT.refused,
  dispatching: EXIT.uncertain,
  verifying: EXIT.uncertain,
  compensated: EXIT.done,
  failed: EXIT.refused,
};

function conclusion({ state, attempts }: CompensationRow): JsonObject {
  if (state === 'compensated') return { effect: 'confirmed', decision: 'none', retryable: false };
  if (state === 'failed') return { effect: 'absent', decision: 'none', retryable: false };
  if (attempts === 0) return { effect: 'absent', decision: 'retry-same-key', retryable: state !== 'denied' };
  return { effect: 'unknown', decision: 'reconcile', retryable: false };
}

function answer({ run, row, ticket }: Case, acted: boolean, more: JsonObject = {}): Outcome {
  if (!row) throw new Error('a compensation was answered that is not recorded');
  const exit = EXIT_OF[row.state];
  return {
    exit,
    reply: {
      status: row.state,
      operation: operationId(run.tenant, run.run, 'compensation'),
      original: run.state,
      attempts: row.attempts,
      ticket: ticketName(ticket),
      residue: row.residue,
      ...conclusion(row),
      ...(exit === 0 ? {} : { definite: !acted }),
      ...more,
    },
  };
}

/**
 * Compensates a failed or cancelled run with a recorded ticket.
 *
 * @returns the recorded state with its exit code; a refusal that recorded nothing where there is nothing to compensate
 */
export function compensate(work: Work, input: CompensateInput): Outcome {
  const { tenant } = input.context;
  const operation = operationId(tenant, input.run, 'compensation');
  const run = readRun(work.runs, tenant, input.run);
  if (!run) return refusal('unknown-operation', `There is no run ${input.run} of ${tenant}.`, { operation });
  if (!['failed', 'cancelled'].includes(run.state) || run.ticket === null) {
    const what = run.ticket === null ? 'it recorded no ticket' : `it is ${run.state}`;
    const message = `Only a failed or cancelled run with a recorded ticket is compensated; ${what}.`;
    return refusal('nothing-to-compensate', message, { operation });
  }
  const at: Case = { run, ticket: run.ticket, row: readCompensation(work.runs, tenant, input.run) };
  const acted = { made: false };
  try {
    return answer(decide(work, input, at, acted), acted.made);
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    const now = { ...at, row: readCompensation(work.runs, tenant, input.run) };
    return answer(now, acted.made, {
      status: 'superseded',
      recorded: now.row?.state ?? null,
      definite: !acted.made,
    });
  }
}
