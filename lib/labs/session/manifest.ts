/** The session lab as everything outside it knows it (README.md). */
import type { CommitSpec, DamageSpec, Lab, LaneSpec, SafeguardSpec } from '../contract.ts';
import { assess, investigations } from './assessment.ts';
import { boundaries } from './boundaries.ts';
import { commands } from './commands-spec.ts';
import { readEvidence } from './evidence.ts';
import { invariants } from './invariants.ts';
import { next, procedures } from './procedures.ts';
import { CLIENT, type Safeguard, SERVICE, STORES } from './words.ts';

const lanes: LaneSpec[] = [
  { id: 'record', store: CLIENT.id, title: 'client record', panel: 'operation' },
  { id: 'messages', store: CLIENT.id, title: 'messages', panel: 'events' },
  { id: 'document', store: SERVICE.id, title: 'document', panel: 'target' },
  { id: 'tickets', store: SERVICE.id, title: 'tickets', panel: 'receipts' },
];

const CONVERSE = ['converse'];

const commit = (
  name: string,
  store: string,
  on: string[],
  label: string,
  commands: string[] = [],
): CommitSpec => ({ name, store, lanes: on, label: label, commands });

const commits: CommitSpec[] = [
  commit('connection', CLIENT.id, ['record'], 'a new epoch', CONVERSE),
  commit('message', CLIENT.id, ['messages'], 'message', CONVERSE),
  commit('intent', CLIENT.id, ['record', 'messages'], 'in flight', CONVERSE),
  commit('ticket', SERVICE.id, ['tickets'], 'ticket, with its reply recorded', [
    ...CONVERSE,
    'create-ticket',
  ]),
  commit('outcome', CLIENT.id, ['record', 'messages'], 'how the call ended', CONVERSE),
  commit('disconnection', CLIENT.id, ['record'], 'disconnected; calls without a result uncertain', CONVERSE),
  commit('server-end', CLIENT.id, ['record'], 'how the server ended', CONVERSE),
  commit('recovery', CLIENT.id, ['record'], 'left in flight by an earlier client: uncertain'),
  commit('reconciliation', CLIENT.id, ['record'], 'what reconciliation concluded', ['reconcile']),
  commit('decision', CLIENT.id, ['record'], "a person's decision", ['resolve']),
  commit('update', SERVICE.id, ['document'], 'document update', ['update-document']),
  commit('damage', SERVICE.id, ['tickets'], 'tickets changed'),
];

const damage = (name: string, summary: string, store: string, needsFrom = false): DamageSpec => ({
  name,
  summary: summary,
  stores: [store],
  ...(needsFrom ? { needsFrom } : {}),
});

const damages: DamageSpec[] = [
  damage('change-tickets', "Replaces every ticket's title by another one.", SERVICE.id),
  damage('delete-client', "Deletes the client's database: the uncertain set with it.", CLIENT.id),
  damage('delete-service', "Deletes the service's database.", SERVICE.id),
  damage('overwrite-client', "Overwrites the client's database with plain text.", CLIENT.id),
  damage(
    'restore-client',
    "Puts back the client's database as it was after an earlier step.",
    CLIENT.id,
    true,
  ),
  damage(
    'restore-service',
    "Puts back the service's database as it was after an earlier step.",
    SERVICE.id,
    true,
  ),
];

const safeguard = (name: Safeguard, prevents: string): SafeguardSpec => ({ name, prevents: prevents });

const safeguards: SafeguardSpec[] = [
  safeguard('version-check', 'A lost update: two writers on one version, and one of them written over.'),
  safeguard('unique-key', 'A second ticket for an operation that was only asked for again.'),
  safeguard('epoch-in-identity', "A reply of an earlier connection taken for this connection's."),
  safeguard('fresh-catalogue', 'A call made on a list of tools that is known to be out of date.'),
  safeguard('uncertain-survives', 'A call in flight that nobody remembers once its client is gone.'),
  safeguard(
    'reconcile-compares',
    "Somebody else's ticket under our key taken for the proof of our operation.",
  ),
  safeguard('own-effect', "Another client's equal ticket taken for our own effect."),
];

export const lab: Lab = {
  id: 'session',
  freshProcess: true,
  title: 'Session',
  summary:
    'Documents with versions, and a tool called over a real MCP connection that can end at any moment.',
  provesNot: [
    'Anything about networks: the connection is a pair of pipes between two processes of one machine.',
    'That a tool in general makes one effect a key: this service does, in one commit with its key.',
    'That "not found" means absent: here the look-up is authoritative, elsewhere it may mean "not yet".',
    'Who calls: there is no authentication, and a key is a name, not a secret.',
    'Power loss: a killed process loses what it had not committed; a disk may lose more.',
  ],
  stores: STORES,
  lanes,
  commits,
  boundaries,
  commands,
  damages,
  safeguards,
  readEvidence,
  invariants,
  assess,
  investigations,
  runbook: [
    'End every client and server that may still act on the operation, then run reconcile once.',
    'Compare the ticket under the key with the record: its parameters, and the request that made it.',
    'Read the messages for a reply that came late and names a ticket.',
    'Record what you looked at and what it showed with resolve: confirmed, absent or void.',
    'After absent, make the same call again under its key; after void, ask under a new one.',
  ],
  procedures,
  next,
  intentArgs: ['operation'],
  makes: { one: 'ticket', many: 'tickets', is: (key) => key.startsWith('ticket') },
  children: ['server.ts'],
  headlines: {
    operation: [{ cell: 'status', having: 'tool' }],
    target: [
      { name: 'document version', cell: 'version' },
      { one: 'ticket', many: 'tickets', prefix: 'ticket ' },
    ],
    receipts: [{ one: 'proof', many: 'proofs' }],
    // Decisions and recorded replies stand in the same panel and are no messages.
    events: [{ one: 'message', many: 'messages', having: 'direction' }],
  },
  playlist: [
    { scenario: 'session/two-writers', minutes: 5 },
    { scenario: 'session/server-killed-after-commit', minutes: 8 },
    { scenario: 'session/late-reply-on-a-new-connection', minutes: 6 },
    { scenario: 'session/cancelled-call-late-reply', minutes: 6 },
    { scenario: 'session/client-killed-in-flight', minutes: 8 },
    { scenario: 'session/client-still-alive', minutes: 5 },
    { scenario: 'session/errors-kept-apart', minutes: 5 },
    { scenario: 'session/key-taken-by-another', minutes: 6 },
    { scenario: 'session/equal-ticket-of-another', minutes: 6 },
    { scenario: 'session/reviewed-absent', minutes: 8 },
  ],
  async oracle() {
    const { oracle } = await import('./oracle.ts');
    return oracle;
  },
};
