/** What the crash matrix tries, and what a correct operator does afterwards. */
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord, StepSpec } from '../../drill/model.ts';
import type { Evidence } from '../../evidence/model.ts';
import type { NextAction, Procedure } from '../contract.ts';
import { lastSubject, operationRow, type Subject, storeState, subjectOf } from './facts.ts';
import { COMPENSATION_FINAL, DEFAULT_ACTION, FINAL, STORES, VOID_TOOL } from './words.ts';

const wrong = { ...DEFAULT_ACTION, source: 'wrong-source', title: 'wrong title' };
const init: StepSpec = { label: 'init', command: 'init' };
const approve: StepSpec = { label: 'approve', command: 'approve', saves: 'approval' };
const run: StepSpec = { label: 'run', command: 'run', args: { approval: '$approval' } };

export const procedures: Procedure[] = [
  { id: 'run', title: { en: 'Run one approved task' }, steps: [init, approve, run], may: [] },
  {
    id: 'run-and-cancel',
    title: { en: 'Run one approved task; then cancel it' },
    steps: [init, approve, run, { label: 'cancel', command: 'run', args: { cancel: true } }],
    may: [],
  },
  {
    id: 'run-and-compensate',
    title: { en: 'A task that makes a wrong ticket; then void it' },
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
];

type History = readonly StepRecord[];

function asked(history: History, command: string, { tenant, run: name }: Subject): StepRecord[] {
  return history.filter((record) => {
    const subject = record.command === command ? subjectOf(record) : null;
    return subject?.tenant === tenant && subject.run === name;
  });
}

/** The contract as first called, with the last approval given. */
function again(calls: readonly StepRecord[], more: JsonObject): JsonObject {
  const { cancel: _cancel, approval: _approval, ...contract } = calls[0]?.args ?? {};
  const approval = calls.map(({ args }) => args.approval).findLast((given) => given != null);
  return { ...contract, ...(approval === undefined ? {} : { approval }), ...more };
}

function nextOfRun(evidence: Evidence, clock: number, history: History, subject: Subject): NextAction | null {
  const calls = asked(history, 'run', subject);
  if (calls.length === 0) return null;
  const cells = operationRow(evidence, subject, 'ticket')?.cells;
  const state = String(cells?.state ?? 'created');
  if (FINAL.includes(state)) return null;
  const cancel = calls.some(({ args }) => args.cancel === true) && cells?.cancelRequested !== true;
  if (cancel) return { command: 'run', args: again(calls, { cancel: true }), now: clock };
  // Only a person may change a policy or give an approval.
  if (['denied', 'waiting_approval'].includes(state) && cells?.cancelRequested !== true) return null;
  const sure = state === 'reconcile_required' ? Number(cells?.sureFrom ?? clock) : clock;
  return { command: 'run', args: again(calls, {}), now: Math.max(clock, sure) };
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
  const state = operationRow(evidence, subject, 'compensation')?.cells.state;
  if (COMPENSATION_FINAL.includes(String(state))) return null;
  return { command: 'compensate', args: last.args, now: clock };
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
