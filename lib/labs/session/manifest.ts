/** The session lab as everything outside it knows it (README.md). */
import type { Text } from '../../core/text.ts';
import type { CommitSpec, Lab, LaneSpec, MechanismSpec, SabotageSpec } from '../contract.ts';
import { boundaries } from './boundaries.ts';
import { commands } from './commands-spec.ts';
import { readEvidence } from './evidence.ts';
import { invariants } from './invariants.ts';
import { next, procedures } from './procedures.ts';
import { reading } from './reading.ts';
import { CLIENT, type Mechanism, SERVICE, STORES } from './words.ts';

const en = (text: string): Text => ({ en: text });

const lanes: LaneSpec[] = [
  { id: 'record', store: CLIENT.id, title: en('client record'), panel: 'operation' },
  { id: 'messages', store: CLIENT.id, title: en('messages'), panel: 'events' },
  { id: 'document', store: SERVICE.id, title: en('document'), panel: 'target' },
  { id: 'tickets', store: SERVICE.id, title: en('tickets'), panel: 'receipts' },
];

const CONVERSE = ['converse'];

const commit = (
  name: string,
  store: string,
  on: string[],
  label: string,
  commands: string[] = [],
): CommitSpec => ({ name, store, lanes: on, label: en(label), commands });

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
  commit('update', SERVICE.id, ['document'], 'document update', ['update-document']),
  commit('damage', SERVICE.id, ['tickets'], 'tickets changed'),
];

const sabotage = (name: string, summary: string, store: string, needsFrom = false): SabotageSpec => ({
  name,
  summary: en(summary),
  stores: [store],
  ...(needsFrom ? { needsFrom } : {}),
});

const sabotages: SabotageSpec[] = [
  sabotage('change-tickets', "Replaces every ticket's title by another one.", SERVICE.id),
  sabotage('delete-client', "Deletes the client's database: the uncertain set with it.", CLIENT.id),
  sabotage('delete-service', "Deletes the service's database.", SERVICE.id),
  sabotage('overwrite-client', "Overwrites the client's database with plain text.", CLIENT.id),
  sabotage(
    'restore-client',
    "Puts back the client's database as it was after an earlier step.",
    CLIENT.id,
    true,
  ),
  sabotage(
    'restore-service',
    "Puts back the service's database as it was after an earlier step.",
    SERVICE.id,
    true,
  ),
];

const mechanism = (name: Mechanism, prevents: string): MechanismSpec => ({ name, prevents: en(prevents) });

const mechanisms: MechanismSpec[] = [
  mechanism('version-check', 'A lost update: two writers on one version, and one of them written over.'),
  mechanism('unique-key', 'A second ticket for an operation that was only asked for again.'),
  mechanism('epoch-in-identity', "A reply of an earlier connection taken for this connection's."),
  mechanism('fresh-catalogue', 'A call made on a list of tools that is known to be out of date.'),
  mechanism('uncertain-survives', 'A call in flight that nobody remembers once its client is gone.'),
  mechanism(
    'reconcile-compares',
    "Somebody else's ticket under our key taken for the proof of our operation.",
  ),
];

export const lab: Lab = {
  id: 'session',
  title: en('Session'),
  summary: en(
    'Documents with versions, and a tool called over a real MCP connection that can end at any moment.',
  ),
  provesNot: [
    en('Anything about networks: the connection is a pair of pipes between two processes of one machine.'),
    en('That a tool in general makes one effect a key: this service does, in one commit with its key.'),
    en('That "not found" means absent: here the look-up is authoritative, elsewhere it may mean "not yet".'),
    en('Who calls: there is no authentication, and a key is a name, not a secret.'),
    en('Power loss: a killed process loses what it had not committed; a disk may lose more.'),
  ],
  stores: STORES,
  lanes,
  commits,
  boundaries,
  commands,
  sabotages,
  mechanisms,
  readEvidence,
  invariants,
  reading,
  procedures,
  next,
  playlist: [
    { scenario: 'session/two-writers', minutes: 5 },
    { scenario: 'session/server-killed-after-commit', minutes: 8 },
    { scenario: 'session/late-reply-on-a-new-connection', minutes: 6 },
    { scenario: 'session/cancelled-call-late-reply', minutes: 6 },
    { scenario: 'session/client-killed-in-flight', minutes: 8 },
    { scenario: 'session/client-still-alive', minutes: 5 },
    { scenario: 'session/errors-kept-apart', minutes: 5 },
    { scenario: 'session/key-taken-by-another', minutes: 6 },
  ],
  async oracle() {
    const { oracle } = await import('./oracle.ts');
    return oracle;
  },
};
