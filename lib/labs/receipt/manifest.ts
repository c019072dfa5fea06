/** The receipt lab as everything outside it knows it (README.md). */
import { z } from 'zod';
import type { CommandSpec, CommitSpec, DamageSpec, Lab, LaneSpec, SafeguardSpec } from '../contract.ts';
import { assess } from './assessment.ts';
import { boundaries } from './boundaries.ts';
import { readEvidence, STORES } from './evidence.ts';
import { invariants } from './invariants.ts';
import { next, procedures } from './procedures.ts';
import { MAX_OPERATION_LENGTH } from './proposal.ts';
import { OPERATION, type Safeguard, STORE } from './words.ts';

const operation = z
  .string()
  .min(1)
  .max(MAX_OPERATION_LENGTH)
  .default(OPERATION)
  .describe('Id of the operation: it names the intent.');

const lanes: LaneSpec[] = [
  { id: 'ledger', store: STORE, title: 'ledger', panel: 'operation' },
  { id: 'target', store: STORE, title: 'target', panel: 'target' },
  { id: 'receipts', store: STORE, title: 'receipts', panel: 'receipts' },
];

const commit = (name: string, on: string[], label: string, commands: string[] = []): CommitSpec => ({
  name,
  store: STORE,
  lanes: on,
  label: label,
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
    summary: 'Creates the database. One that is there is never overwritten.',
    args: z.object({}),
    kind: 'act',
  },
  {
    name: 'plan',
    summary: 'Prints a proposal against the version that the target has now. Writes nothing.',
    args: z.object({ operation, value: value('The value that blockPublicAccess is to have.').default(true) }),
    kind: 'observe',
    printsReply: true,
  },
  {
    name: 'run',
    summary: 'Submits a proposal: intent, target with receipt, completion. Three commits.',
    args: z.object({
      proposal: z.json().describe('The proposal, as plan printed it.'),
      approve: z.boolean().default(false).describe('Simulates the local review. It authenticates nobody.'),
    }),
    kind: 'act',
  },
  {
    name: 'recover',
    summary: 'Reads ledger, receipt and target, and records what they permit. Never changes the target.',
    args: z.object({ operation }),
    kind: 'recover',
  },
  {
    name: 'drift',
    summary: 'Another actor changes the target. No receipt, no event: our history knows nothing of it.',
    args: z.object({ value: value('The value that the other actor sets.') }),
    kind: 'other-actor',
  },
  {
    name: 'forget',
    summary: "Deletes the operation's ledger row and receipts, as people do to unblock a queue.",
    args: z.object({ operation }),
    kind: 'trap',
  },
  {
    name: 'inspect',
    summary: 'Shows everything but the ground truth. Writes nothing.',
    args: z.object({}),
    kind: 'observe',
  },
];

const damage = (name: string, summary: string): DamageSpec => ({
  name,
  summary: summary,
  stores: [STORE],
});

const damages: DamageSpec[] = [
  damage('damage-receipt', "Replaces every receipt's digest by another one."),
  damage('empty-receipt', "Empties every receipt's digest."),
  damage('delete-database', 'Deletes the database file.'),
  damage('overwrite-database', 'Overwrites the database file with plain text.'),
  {
    ...damage('restore-copy', 'Puts back the copy of the database taken after an earlier step.'),
    needsFrom: true,
  },
];

const safeguard = (name: Safeguard, prevents: string): SafeguardSpec => ({ name, prevents: prevents });

const safeguards: SafeguardSpec[] = [
  safeguard('intent-first', 'A change at the target that no record announced.'),
  safeguard('receipt-in-the-same-commit', 'A change at the target without the proof of whose it was.'),
  safeguard('version-check', 'A change on top of a state that nobody reviewed.'),
  safeguard('receipt-before-retry', 'A retry of something that has happened already.'),
  safeguard('digest-conflict', 'Another change passing under the name of the recorded one.'),
  safeguard('ownership-needs-receipt', "Taking somebody else's equal value for our own effect."),
  safeguard('uncertain-stays', 'Running an operation again whose outcome nobody knows.'),
  safeguard('review', 'A change that nobody approved.'),
];

export const lab: Lab = {
  id: 'receipt',
  title: 'Receipt',
  summary: 'A reviewed change; the target and its receipt in one commit, the ledger in others.',
  simulates:
    'Simulated: `--approve` stands for a review and authenticates nobody, and nothing leaves this machine.',
  provesNot: [
    'Exactly-once across remote APIs: here target and receipt share a commit, and a remote target shares none.',
    'Power loss: a killed process loses what it had not committed; a disk may lose more.',
    'Production authorization: --approve simulates a review and authenticates nobody.',
    'Anything about AWS: no call is made and no credentials are used; blockPublicAccess is a teaching device.',
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
