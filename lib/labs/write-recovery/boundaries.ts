/** Places beside a commit where an executor can be stopped, in the order in which a run reaches them. */
import type { BoundarySpec, CommitSpec, LaneSpec } from '../contract.ts';
import { RUNS, TICKETS } from './words.ts';

export const lanes: LaneSpec[] = [
  { id: 'runs', store: RUNS.id, title: 'run record', panel: 'operation' },
  { id: 'tickets', store: TICKETS.id, title: 'tickets', panel: 'target' },
  { id: 'keys', store: TICKETS.id, title: 'operation keys', panel: 'receipts' },
];

const commit = (
  store: string,
  name: string,
  on: string[],
  label: string,
  commands: string[],
): CommitSpec => ({
  name,
  store,
  lanes: on,
  label: label,
  commands,
});

const onRuns = (name: string, label: string, command = 'run') =>
  commit(RUNS.id, name, ['runs'], label, [command]);

export const commits: CommitSpec[] = [
  commit(TICKETS.id, 'creation-tickets', ['tickets'], 'ticket service', ['init']),
  commit(RUNS.id, 'creation-runs', ['runs'], 'run record', ['init']),
  onRuns('contract', 'contract frozen'),
  onRuns('decision', 'a rule decided'),
  onRuns('intent', 'intent and attempt'),
  commit(TICKETS.id, 'effect', ['tickets', 'keys'], 'ticket with its key', ['run']),
  onRuns('result', 'tool result'),
  onRuns('reconciliation', 'what was found'),
  onRuns('validation', 'acceptance'),
  onRuns('final', 'final state'),
  onRuns('compensation-decision', 'a rule decided', 'compensate'),
  onRuns('compensation-intent', 'intent to void', 'compensate'),
  commit(TICKETS.id, 'void', ['tickets', 'keys'], 'ticket voided', ['compensate']),
  onRuns('compensation-result', 'void result', 'compensate'),
  onRuns('compensation-final', 'compensation accepted or failed', 'compensate'),
  onRuns('resolution', 'a reviewed decision', 'resolve'),
  onRuns('late-result', 'a late ticket, taken in'),
  commit(TICKETS.id, 'create', ['tickets', 'keys'], "another client's ticket", ['create']),
  commit(TICKETS.id, 'take', ['tickets'], 'another client took the ticket', ['take']),
];

const free = (name: string, shows: string): BoundarySpec => ({
  name,
  role: 'executor',
  lock: 'free',
  shows: shows,
});

const beside = (name: string, side: 'before' | 'after', commitName: string, shows: string): BoundarySpec => ({
  name,
  role: 'executor',
  lock: side === 'before' ? 'held' : 'free',
  commit: commitName,
  side,
  shows: shows,
});

export const boundaries: BoundarySpec[] = [
  beside(
    'before-contract-commit',
    'before',
    'contract',
    'Nothing is recorded: the first call never happened, and another contract may still be frozen.',
  ),
  beside('after-contract', 'after', 'contract', 'The contract is frozen; no rule has been decided.'),
  beside(
    'before-decision-commit',
    'before',
    'decision',
    "A rule's outcome is rolled back; the next call decides it again from the same record.",
  ),
  beside('after-decision', 'after', 'decision', "A rule's outcome is recorded; only the answer is lost."),
  beside(
    'before-intent-commit',
    'before',
    'intent',
    'Intent and attempt are rolled back together: nothing was dispatched, nothing was spent.',
  ),
  beside('after-intent', 'after', 'intent', 'The attempt is spent, the record says dispatching, no ticket.'),
  free(
    'before-effect',
    'Dispatching, and no ticket. The record looks exactly as it does when the ticket exists.',
  ),
  beside(
    'before-effect-commit',
    'before',
    'effect',
    'The ticket is written at the service and not committed: it is rolled back.',
  ),
  beside(
    'after-effect',
    'after',
    'effect',
    'The ticket exists; the record still says dispatching. The look-up finds it by its key.',
  ),
  beside(
    'before-result-commit',
    'before',
    'result',
    'The result is rolled back: as after-effect, one step later.',
  ),
  beside('after-result', 'after', 'result', 'The ticket is recorded; nobody has looked at what it holds.'),
  beside(
    'before-reconcile-commit',
    'before',
    'reconciliation',
    'Recovery itself dies: what it found is rolled back, and the next look-up finds it again.',
  ),
  beside('after-reconcile', 'after', 'reconciliation', 'What was found is recorded, without a new attempt.'),
  beside(
    'before-validation-commit',
    'before',
    'validation',
    'The acceptance is rolled back; it reads the ticket again next time.',
  ),
  beside(
    'after-validation',
    'after',
    'validation',
    'Accepted or refused, and not final yet: acceptance happens once more.',
  ),
  beside('before-final-commit', 'before', 'final', 'The final state is rolled back; everything else stands.'),
  beside('after-final', 'after', 'final', 'Everything is committed; only the answer to the caller is lost.'),
  beside(
    'before-compensation-decision-commit',
    'before',
    'compensation-decision',
    'A refusal of the compensation is rolled back: none is recorded.',
  ),
  beside(
    'after-compensation-decision',
    'after',
    'compensation-decision',
    'The compensation waits for an approval of its own.',
  ),
  beside(
    'before-compensation-intent-commit',
    'before',
    'compensation-intent',
    'The intent to void is rolled back; the wrong ticket is open.',
  ),
  beside(
    'after-compensation-intent',
    'after',
    'compensation-intent',
    'The intent to void is recorded; the wrong ticket is open.',
  ),
  free('before-void', 'The compensation is dispatching, and the ticket is still open.'),
  beside('before-void-commit', 'before', 'void', 'The void is rolled back at the service.'),
  beside(
    'after-void',
    'after',
    'void',
    'The ticket is void; the record says dispatching. Voiding again is not needed to know it.',
  ),
  beside(
    'before-compensation-result-commit',
    'before',
    'compensation-result',
    'The result is rolled back: as after-void, one step later.',
  ),
  beside(
    'after-compensation-result',
    'after',
    'compensation-result',
    'The result is recorded; the residue has not been accepted.',
  ),
  beside(
    'before-compensation-final-commit',
    'before',
    'compensation-final',
    'The acceptance of the compensation is rolled back.',
  ),
  beside(
    'after-compensation-final',
    'after',
    'compensation-final',
    'The compensation is final; only the answer is lost.',
  ),
  beside(
    'before-resolution-commit',
    'before',
    'resolution',
    'The decision of a person is rolled back; the operation is in doubt as before.',
  ),
  beside(
    'after-resolution',
    'after',
    'resolution',
    'The decision is recorded with what was looked at; only the answer is lost.',
  ),
];
