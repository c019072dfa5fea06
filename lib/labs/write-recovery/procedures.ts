/** What the crash matrix tries, and what a correct operator does afterwards. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { StepRecord, StepSpec } from '../../drill/model.ts';
import { type Evidence, panel } from '../../evidence/model.ts';
import type { Investigation, NextAction, Procedure } from '../contract.ts';
import { lastSubject, operationRow, type Subject, storeState, subjectOf } from './facts.ts';
import { COMPENSATION_FINAL, DEFAULT_ACTION, FINAL, STORES, VOID_TOOL } from './words.ts';

const wrong = { ...DEFAULT_ACTION, source: 'wrong-source', title: 'wrong title' };
const init: StepSpec = { label: 'init', command: 'init' };
const approve: StepSpec = { label: 'approve', command: 'approve', saves: 'approval' };
const DECISION = {
  looked: "the service's log of creations",
  showed: 'ticket-1 was created by another client before this run began',
  by: 'the operator on duty',
};
const run: StepSpec = { label: 'run', command: 'run', args: { approval: '$approval' } };

export const procedures: Procedure[] = [
  { id: 'run', title: 'Run one approved task', steps: [init, approve, run], may: [] },
  {
    id: 'run-and-cancel',
    title: 'Run one approved task; then cancel it',
    steps: [init, approve, run, { label: 'cancel', command: 'run', args: { cancel: true } }],
    may: [],
  },
  {
    id: 'run-and-compensate',
    title: 'A task that makes a wrong ticket; then void it',
    steps: [
      init,
      { ...approve, args: { action: wrong } },
      {
        ...run,
        args: { action: { ...wrong }, expected: { ...DEFAULT_ACTION }, approval: '$approval' },
      },
      {
        label: 'approve-void',
        command: 'approve',
        args: { action: { ...wrong, tool: VOID_TOOL } },
        saves: 'void-approval',
      },
      { label: 'unapproved', command: 'compensate' },
      { label: 'compensate', command: 'compensate', args: { approval: '$void-approval' } },
    ],
    may: [],
  },
  {
    id: 'resolve-doubt',
    title: 'A task that finds an equal ticket of somebody else; then a person decides',
    steps: [
      init,
      { label: 'other-client', command: 'create', args: { key: 'run-1:ticket' } },
      approve,
      run,
      { label: 'resolve', command: 'resolve', args: { ...DECISION, conclusion: 'void' } },
    ],
    may: [],
  },
];

type History = readonly StepRecord[];

function asked(history: History, command: string, { tenant, run: name }: Subject): StepRecord[] {
  return history.filter((record) => {
    const subject = record.command === command ? subjectOf(record) : null;
    return subject?.tenant === tenant && subject.run === name;
  });
}

/** The contract as it was frozen: what a later call carried may have been refused, an earlier one may have died. */
function frozen(cells: JsonObject): JsonObject {
  const { source, title, tool, expectedSource, expectedTitle, expectedTool, budget } = cells;
  const expected = { source: expectedSource, title: expectedTitle, tool: expectedTool };
  return { action: { source, title, tool }, expected, budget } as JsonObject;
}

/** The contract, under the policy as it was stated last, with the last approval given. */
function again(calls: readonly StepRecord[], cells: JsonObject | undefined, more: JsonObject): JsonObject {
  const { cancel: _cancel, approval: _approval, ...called } = calls[0]?.args ?? {};
  const context = calls.at(-1)?.args.context;
  const principal: JsonObject = cells?.principal === undefined ? {} : { principal: cells.principal };
  const approval = calls.map(({ args }) => args.approval).findLast((given) => given != null);
  const under: JsonObject = isObject(context) ? { context: { ...context, ...principal } } : {};
  return {
    ...called,
    ...under,
    ...(cells ? frozen(cells) : {}),
    ...(approval == null ? {} : { approval }),
    ...more,
  };
}

/** Whether the policy, as it was stated last, says yes. */
function permitted(calls: readonly StepRecord[]): boolean {
  const context = calls.at(-1)?.args.context;
  return !isObject(context) || context.allowed !== false;
}

function nextOfRun(evidence: Evidence, clock: number, history: History, subject: Subject): NextAction | null {
  const calls = asked(history, 'run', subject);
  if (calls.length === 0) return null;
  const cells = operationRow(evidence, subject, 'ticket')?.cells;
  const state = String(cells?.state ?? 'created');
  if (FINAL.includes(state)) return null;
  if (cells?.doubt != null) {
    // A person has decided, and the record does not say so yet: the decision is submitted again.
    const decided = history.findLast((record) => record.command === 'resolve')?.args;
    return decided ? { command: 'resolve', args: decided, now: clock } : null;
  }
  // A cancellation too is asked of the policy, and would be denied again.
  if (state === 'denied' && !permitted(calls)) return null;
  const cancel = calls.some(({ args }) => args.cancel === true) && cells?.cancelRequested !== true;
  if (cancel) return { command: 'run', args: again(calls, cells, { cancel: true }), now: clock };
  // Only a person may change a policy or give an approval.
  if (['denied', 'waiting_approval'].includes(state) && cells?.cancelRequested !== true) return null;
  const sure = state === 'reconcile_required' ? Number(cells?.sureFrom ?? clock) : clock;
  return { command: 'run', args: again(calls, cells, {}), now: Math.max(clock, sure) };
}

function nextOfCompensation(
  evidence: Evidence,
  clock: number,
  history: History,
  subject: Subject,
): NextAction | null {
  const last = asked(history, 'compensate', subject).findLast(({ args }) => args.approval != null);
  const original = operationRow(evidence, subject, 'ticket')?.cells;
  if (!last || original?.ticket == null) return null;
  if (!['failed', 'cancelled'].includes(String(original.state))) return null;
  const state = String(operationRow(evidence, subject, 'compensation')?.cells.state);
  if (COMPENSATION_FINAL.includes(state)) return null;
  // The approved call was answered so, and did not die: only a person can do something about it.
  const answered = last.executors.some(({ reply }) => reply !== null);
  if (['denied', 'waiting_approval'].includes(state) && answered) return null;
  return { command: 'compensate', args: last.args, now: clock };
}

/** Runs that a person has to decide: an equal ticket lies there, and nothing says whose it is. */
export function investigations(history: History): Investigation[] {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return [];
  return panel(evidence, 'operation').rows.flatMap(({ key, cells }): Investigation[] => {
    const denied = cells.state === 'denied' && cells.dispatchedAt !== null;
    if (cells.doubt == null && !denied) return [];
    return [
      {
        operation: key,
        effect: denied
          ? 'Whether the dispatched attempt made a ticket.'
          : 'Whether the equal ticket is of this run.',
        missing: denied
          ? 'The policy denies the run, and an attempt was dispatched before: whether its ticket exists.'
          : 'Who made the equal ticket that lies at the service.',
        where: denied
          ? 'lookup, which works under any policy.'
          : "The service's log of creations, by key or by time.",
      },
    ];
  });
}

/**
 * A correct operator's next action: repeat a cancellation that was not recorded, resume what is not final, wait out a
 * look-up that lags, carry an approved compensation to its end; leave policy and approval to a person.
 *
 * @returns null where nothing more is to be done, or only a person may do it
 */
export function next(
  evidence: Evidence,
  clock: number,
  _saved: JsonObject,
  history: readonly StepRecord[],
): NextAction | null {
  if (STORES.some(({ id }) => storeState(evidence, id) !== 'sound')) return null;
  const subject = lastSubject(history);
  if (!subject) return null;
  return (
    nextOfRun(evidence, clock, history, subject) ?? nextOfCompensation(evidence, clock, history, subject)
  );
}
