/** Every boundary of the lab, with what a crash there shows. */
import type { BoundarySpec } from '../contract.ts';

interface Place {
  name: string;
  role?: string;
  held?: boolean;
  commit?: string;
  side?: 'before' | 'after';
  shows: string;
}

const place = ({ name, role = 'executor', held = false, commit, side, shows }: Place): BoundarySpec => ({
  name,
  role,
  lock: held ? 'held' : 'free',
  ...(commit && side ? { commit, side } : {}),
  shows: shows,
});

/** Both sides of a commit. */
function around(
  commit: string,
  names: [string, string],
  shows: [string, string],
  role = 'executor',
): BoundarySpec[] {
  return [
    place({ name: names[0], role, held: true, commit, side: 'before', shows: shows[0] }),
    place({ name: names[1], role, commit, side: 'after', shows: shows[1] }),
  ];
}

export const boundaries: BoundarySpec[] = [
  ...around(
    'connection',
    ['before-connection-commit', 'after-connection'],
    ['No connection is recorded and no server was started.', 'An epoch is used up; no server was started.'],
  ),
  ...around(
    'message',
    ['before-message-commit', 'after-message'],
    [
      'A message that settles no call was sent or came in, and the log does not have it.',
      'The log has the message; what follows from it did not happen.',
    ],
  ),
  ...around(
    'intent',
    ['before-intent-commit', 'after-intent'],
    ['Nothing recorded, nothing sent: absent for certain.', 'In flight by the record, and never sent.'],
  ),
  place({ name: 'before-send', shows: 'In flight by the record; the call was not written to the wire.' }),
  place({
    name: 'after-send',
    shows: 'The call is on the wire. Whether the server acts on it, the client cannot know.',
  }),
  place({
    name: 'after-receive',
    shows: 'The reply has arrived and nothing of it is recorded: to the next client it never came.',
  }),
  ...around(
    'outcome',
    ['before-outcome-commit', 'after-outcome'],
    [
      'The outcome is known to this process alone; the record still says in flight.',
      'The outcome is recorded; the connection was not closed.',
    ],
  ),
  ...around(
    'disconnection',
    ['before-disconnect-commit', 'after-disconnect'],
    [
      'The connection is over and the record does not say so.',
      'Calls without a result are in the uncertain set; how the server ended is not known.',
    ],
  ),
  ...around(
    'server-end',
    ['before-server-end-commit', 'after-server-end'],
    ['The server has ended and the record does not say how.', 'Everything is recorded.'],
  ),
  ...around(
    'recovery',
    ['before-recovery-commit', 'after-recovery'],
    [
      'What an earlier client left in flight is still in flight by the record.',
      'It is in the uncertain set now, and nothing else has happened.',
    ],
  ),
  ...around(
    'reconciliation',
    ['before-reconcile-commit', 'after-reconcile'],
    ['The ticket was looked up; the entry is still open.', 'The conclusion is recorded.'],
  ),
  ...around(
    'decision',
    ['before-decision-commit', 'after-decision'],
    ['A person has decided, and nothing of it is recorded.', 'The decision is recorded; nobody was told.'],
  ),
  place({ name: 'server-start', role: 'server', shows: 'The server dies before it has said a word.' }),
  ...around(
    'ticket',
    ['before-ticket-commit', 'after-ticket'],
    [
      'The call was received; ticket and recorded reply are lost together.',
      'The ticket exists and the client was not told.',
    ],
    'server',
  ),
  place({
    name: 'before-reply',
    role: 'server',
    shows: 'The ticket exists; the reply is made and not written.',
  }),
  place({
    name: 'after-read',
    shows: 'A writer has read a version and written nothing. Held here, others read the same one.',
  }),
  ...around(
    'update',
    ['before-update-commit', 'after-update'],
    ['The update is lost whole: version and proof.', 'The update is accepted; its writer was not told.'],
  ),
  place({ name: 'before-direct-ticket', shows: 'Nothing asked of the service yet. A race starts here.' }),
  ...around(
    'ticket',
    ['before-direct-ticket-commit', 'after-direct-ticket'],
    ['The ticket is lost.', 'The ticket exists; whoever asked for it was not told.'],
  ),
];
