/** The receipt lab as everything outside it knows it (README.md). */
import { z } from 'zod';
import type { Text } from '../../core/text.ts';
import type { CommandSpec, CommitSpec, Lab, LaneSpec, MechanismSpec, SabotageSpec } from '../contract.ts';
import { boundaries } from './boundaries.ts';
import { readEvidence, STORES } from './evidence.ts';
import { invariants } from './invariants.ts';
import { next, procedures } from './procedures.ts';
import { MAX_OPERATION_LENGTH } from './proposal.ts';
import { reading } from './reading.ts';
import { type Mechanism, OPERATION, STORE } from './words.ts';

const en = (text: string): Text => ({ en: text });

const operation = z
  .string()
  .min(1)
  .max(MAX_OPERATION_LENGTH)
  .default(OPERATION)
  .describe('Id of the operation: it names the intent.');

const lanes: LaneSpec[] = [
  { id: 'ledger', store: STORE, title: en('ledger'), panel: 'operation' },
  { id: 'target', store: STORE, title: en('target'), panel: 'target' },
  { id: 'receipts', store: STORE, title: en('receipts'), panel: 'receipts' },
];

const commit = (name: string, on: string[], label: string, commands: string[] = []): CommitSpec => ({
  name,
  store: STORE,
  lanes: on,
  label: en(label),
  ...(commands.length > 0 ? { commands } : {}),
});

// With a rule off there are commits more; a crash keeps nobody from them, so no command names them.
const commits: CommitSpec[] = [
  commit('creation', ['target'], 'version 1', ['init']),
  commit('intent', ['ledger'], 'intent: pending', ['run']),
  commit('target', ['target', 'receipts'], 'target and receipt', ['run']),
  commit('receipt', ['receipts'], 'receipt, in a commit of its own'),
  commit('completion', ['ledger'], 'completion', ['run']),
  commit('classification', ['ledger'], 'what recovery concluded', ['recover']),
  commit('reopening', ['ledger'], 'an uncertain operation, pending again'),
  commit('drift', ['target'], "another actor's change", ['drift']),
  commit('forgetting', ['ledger', 'receipts'], 'records deleted', ['forget']),
  commit('damage', ['receipts'], 'receipt damaged'),
];

const value = (text: string) => z.boolean().describe(text);

const commands: CommandSpec[] = [
  {
    name: 'init',
    summary: en('Creates the database. One that is there is never overwritten.'),
    args: z.object({}),
    kind: 'act',
  },
  {
    name: 'plan',
    summary: en('Prints a proposal against the version that the target has now. Writes nothing.'),
    args: z.object({ operation, value: value('The value that blockPublicAccess is to have.').default(true) }),
    kind: 'observe',
    printsReply: true,
  },
  {
    name: 'run',
    summary: en('Submits a proposal: intent, target with receipt, completion. Three commits.'),
    args: z.object({
      proposal: z.json().describe('The proposal, as plan printed it.'),
      approve: z.boolean().default(false).describe('Simulates the local review. It authenticates nobody.'),
    }),
    kind: 'act',
  },
  {
    name: 'recover',
    summary: en('Reads ledger, receipt and target, and records what they permit. Never changes the target.'),
    args: z.object({ operation }),
    kind: 'recover',
  },
  {
    name: 'drift',
    summary: en('Another actor changes the target. No receipt, no event: our history knows nothing of it.'),
    args: z.object({ value: value('The value that the other actor sets.') }),
    kind: 'other-actor',
  },
  {
    name: 'forget',
    summary: en("Deletes the operation's ledger row and receipts, as people do to unblock a queue."),
    args: z.object({ operation }),
    kind: 'trap',
  },
  {
    name: 'inspect',
    summary: en('Shows everything but the observer. Writes nothing.'),
    args: z.object({}),
    kind: 'observe',
  },
];

const sabotage = (name: string, summary: string): SabotageSpec => ({
  name,
  summary: en(summary),
  stores: [STORE],
});

const sabotages: SabotageSpec[] = [
  sabotage('damage-receipt', "Replaces every receipt's digest by another one."),
  sabotage('empty-receipt', "Empties every receipt's digest."),
  sabotage('delete-database', 'Deletes the database file.'),
  sabotage('overwrite-database', 'Overwrites the database file with plain text.'),
  {
    ...sabotage('restore-copy', 'Puts back the copy of the database taken after an earlier step.'),
    needsFrom: true,
  },
];

const mechanism = (name: Mechanism, prevents: string): MechanismSpec => ({ name, prevents: en(prevents) });

const mechanisms: MechanismSpec[] = [
  mechanism('intent-first', 'A change at the target that no record announced.'),
  mechanism('receipt-in-the-same-commit', 'A change at the target without the proof of whose it was.'),
  mechanism('version-check', 'A change on top of a state that nobody reviewed.'),
  mechanism('receipt-before-retry', 'A retry of something that has happened already.'),
  mechanism('digest-conflict', 'Another change passing under the name of the recorded one.'),
  mechanism('ownership-needs-receipt', "Taking somebody else's equal value for our own effect."),
  mechanism('uncertain-stays', 'Running an operation again whose outcome nobody knows.'),
  mechanism('review', 'A change that nobody approved.'),
];

export const lab: Lab = {
  id: 'receipt',
  title: en('Receipt'),
  summary: en('A reviewed change; the target and its receipt in one commit, the ledger in others.'),
  simulates: en(
    'Simulated: `--approve` stands for a review and authenticates nobody, and nothing leaves this machine.',
  ),
  provesNot: [
    en(
      'Exactly-once across remote APIs: here target and receipt share a commit, and a remote target shares none.',
    ),
    en('Power loss: a killed process loses what it had not committed; a disk may lose more.'),
    en('Production authorization: --approve simulates a review and authenticates nobody.'),
    en(
      'Anything about AWS: no call is made and no credentials are used; blockPublicAccess is a teaching device.',
    ),
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
    { scenario: 'receipt/lost-ack', minutes: 8 },
    { scenario: 'receipt/effect-absent', minutes: 4 },
    { scenario: 'receipt/ownership-unknown', minutes: 8 },
    { scenario: 'receipt/forgotten-ledger', minutes: 8 },
    { scenario: 'receipt/late-executor', minutes: 6 },
    { scenario: 'receipt/regenerated-proposal', minutes: 4 },
    { scenario: 'receipt/eight-at-once', minutes: 4 },
    { scenario: 'receipt/damaged-receipt', minutes: 4 },
  ],
};
