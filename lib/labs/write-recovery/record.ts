/** The run's record in runs.sqlite: state and event in one commit, conditional on what it was decided from. */
import { canonicalJson } from '../../core/canonical.ts';
import { type CommitOptions, commit, type Db } from '../../sqlite/open.ts';
import type { RunInput } from './input.ts';
import type { Work } from './stores.ts';
import { type Action, FINAL, keeps, RUNS, type RunState, type Slot } from './words.ts';

export interface RunRow {
  tenant: string;
  run: string;
  principal: string;
  action: Action;
  expected: Action;
  budget: number;
  state: RunState;
  attempts: number;
  cancelRequested: boolean;
  ticket: number | null;
  dispatchedAt: number | null;
  sureFrom: number | null;
  /** An equal ticket lies at the service, and nothing says that this run made it. */
  doubt: 'ownership' | null;
}

/** The record moved on while this executor was deciding: it keeps its hands off and says what is recorded. */
export class Superseded extends Error {
  constructor() {
    super('the record is no longer what this was decided from');
    this.name = 'Superseded';
  }
}

interface Raw {
  tenant: string;
  run: string;
  principal: string;
  source: string;
  title: string;
  tool: string;
  expected_source: string;
  expected_title: string;
  expected_tool: string;
  budget: number;
  state: RunState;
  attempts: number;
  cancel_requested: number;
  ticket: number | null;
  dispatched_at: number | null;
  sure_from: number | null;
  doubt: 'ownership' | null;
}

/** @returns the record of a run, or null where there is none */
export function readRun(db: Db, tenant: string, run: string): RunRow | null {
  const raw = db.prepare('SELECT * FROM runs WHERE tenant = ? AND run = ?').get(tenant, run) as
    | Raw
    | undefined;
  if (!raw) return null;
  return {
    tenant,
    run,
    principal: raw.principal,
    action: { source: raw.source, title: raw.title, tool: raw.tool },
    expected: { source: raw.expected_source, title: raw.expected_title, tool: raw.expected_tool },
    budget: raw.budget,
    state: raw.state,
    attempts: raw.attempts,
    cancelRequested: raw.cancel_requested === 1,
    ticket: raw.ticket,
    dispatchedAt: raw.dispatched_at,
    sureFrom: raw.sure_from,
    doubt: raw.doubt,
  };
}

/** Adds one line to a run's history. Call it inside the commit whose event it is. */
export function addEvent(
  db: Db,
  at: { tenant: string; run: string },
  slot: Slot,
  kind: string,
  detail = '',
): void {
  db.prepare('INSERT INTO events (tenant, run, slot, kind, detail) VALUES (?, ?, ?, ?, ?)').run(
    at.tenant,
    at.run,
    slot,
    kind,
    detail,
  );
}

const CONTRACT = [
  'principal',
  'source',
  'title',
  'tool',
  'expected_source',
  'expected_title',
  'expected_tool',
  'budget',
] as const;

function contractOf(input: RunInput): (string | number)[] {
  const { context, action, expected, budget } = input;
  return [
    context.principal,
    action.source,
    action.title,
    action.tool,
    expected.source,
    expected.title,
    expected.tool,
    budget,
  ];
}

function sameContract(row: RunRow, { context, action, expected, budget }: RunInput): boolean {
  const own = { principal: row.principal, action: row.action, expected: row.expected, budget: row.budget };
  return canonicalJson(own) === canonicalJson({ principal: context.principal, action, expected, budget });
}

/**
 * Freezes the contract at the first call (README.md, "Order of the rules", 1).
 *
 * @returns the record as it is then, or null where it holds another contract and nothing was changed
 */
export function freeze(work: Work, input: RunInput): RunRow | null {
  const { runs, without } = work;
  const { tenant } = input.context;
  const known = readRun(runs, tenant, input.run);
  if (known && sameContract(known, input)) return known;
  if (known && keeps(without, 'frozen-contract')) return null;
  const places = { before: 'before-contract-commit', after: 'after-contract' };
  commit(runs, RUNS.id, 'contract', places, () => {
    const values = contractOf(input);
    if (known) {
      const sets = CONTRACT.map((name) => `${name} = ?`).join(', ');
      runs.prepare(`UPDATE runs SET ${sets} WHERE tenant = ? AND run = ?`).run(...values, tenant, input.run);
      return;
    }
    const marks = [...CONTRACT, 'tenant', 'run'].map(() => '?').join(', ');
    runs
      .prepare(
        `INSERT INTO runs (${CONTRACT.join(', ')}, tenant, run, state) VALUES (${marks}, 'created')
         ON CONFLICT (tenant, run) DO NOTHING`,
      )
      .run(...values, tenant, input.run);
  });
  // Another executor may have been first: then its contract counts.
  const row = readRun(runs, tenant, input.run);
  return row && sameContract(row, input) ? row : null;
}

export interface Move {
  state: RunState;
  events: [kind: string, detail?: string][];
  set?: Partial<{
    attempts: number;
    cancel_requested: number;
    ticket: number | null;
    dispatched_at: number;
    sure_from: number;
    /** Left out: there is none any more. */
    doubt: 'ownership';
  }>;
  /** For the intent alone: no cancel, budget left, not final, all seen again inside the transaction. */
  dispatch?: boolean;
}

/**
 * Records state and events in one commit, if the record is still what this was decided from: same state, same
 * attempt, and no cancellation requested since (which may leave both as they were).
 *
 * @param also what else the same commit writes
 * @returns the record after it
 * @throws Superseded where it is not; nothing is written then
 */
export function move(
  work: Work,
  from: RunRow,
  name: string,
  places: CommitOptions,
  to: Move,
  also?: () => void,
): RunRow {
  const { runs } = work;
  return commit(runs, RUNS.id, name, places, () => {
    const set = { state: to.state, doubt: null, ...to.set };
    const sets = Object.keys(set).map((column) => `${column} = @${column}`);
    const finals = FINAL.map((state) => `'${state}'`).join(', ');
    const guard = to.dispatch
      ? `AND cancel_requested = 0 AND @spent < budget AND state NOT IN (${finals})`
      : '';
    const result = runs
      .prepare(
        `UPDATE runs SET ${sets.join(', ')}
         WHERE tenant = @tenant AND run = @run AND state = @wasState AND attempts = @wasAttempts
           AND cancel_requested = @wasCancel ${guard}`,
      )
      .run({
        ...set,
        tenant: from.tenant,
        run: from.run,
        wasState: from.state,
        wasAttempts: from.attempts,
        wasCancel: from.cancelRequested ? 1 : 0,
        ...(to.dispatch ? { spent: from.attempts } : {}),
      });
    if (result.changes !== 1) throw new Superseded();
    for (const [kind, detail] of to.events) addEvent(runs, from, 'ticket', kind, detail);
    also?.();
    return readRun(runs, from.tenant, from.run) as RunRow;
  });
}
