/** The receipt lab as everything outside it knows it (README.md). */
import { z } from 'zod';
import type { CommandSpec, CommitSpec, DamageSpec, LaneSpec, SafeguardSpec } from '../contract.ts';
import { damage as damageOf, defineLab } from '../kit/define.ts';
import { assess, investigations } from './assessment.ts';
import { boundaries } from './boundaries.ts';
import { invariants } from './invariants.ts';
import { evidence } from './panels.ts';
import { next, procedures } from './procedures.ts';
import { MAX_OPERATION_LENGTH } from './proposal.ts';
import { CONCLUSIONS, OPERATION, type Safeguard, STORE } from './words.ts';

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
  commit('decision', ['ledger'], 'a reviewed decision', ['resolve']),
  commit('drift', ['target'], "another actor's change", ['drift']),
  commit('forgetting', ['ledger', 'receipts'], 'records deleted', ['forget']),
  commit('damage', ['receipts'], 'receipt damaged'),
];

const text = (what: string) => z.string().min(1).max(500).describe(what);
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
    name: 'resolve',
    summary: 'Records a reviewed decision about an effect that the evidence leaves unknown.',
    args: z.object({
      operation,
      conclusion: z.enum(CONCLUSIONS).describe('Whether the effect exists; void: give the operation up.'),
      reference: text('Where others find the effect. Needed to confirm it.').optional(),
      looked: text('What was looked at.'),
      showed: text('What it showed.'),
      by: text('Who decides.'),
    }),
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

const damage = (name: string, summary: string, needsFrom = false): DamageSpec =>
  damageOf(STORE, name, summary, needsFrom);

const damages: DamageSpec[] = [
  damage('damage-receipt', "Replaces every receipt's digest by another one."),
  damage('empty-receipt', "Empties every receipt's digest."),
  damage('delete-database', 'Deletes the database file.'),
  damage('overwrite-database', 'Overwrites the database file with plain text.'),
  damage('restore-copy', 'Puts back the copy of the database taken after an earlier step.', true),
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

export const lab = defineLab({
  ...evidence,
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
  lanes,
  commits,
  boundaries,
  commands,
  damages,
  safeguards,
  invariants,
  assess,
  procedures,
  next,
  investigations,
  runbook: [
    'End every process that may still act on the operation, then run recover once.',
    "Look into the target's audit log for the change, and ask those who may change the target.",
    'Record what you looked at and what it showed with resolve: confirmed, absent or void.',
    'After absent, run the same proposal again; where the version has moved, plan a new operation.',
  ],
  headlines: {
    operation: [{ cell: 'status' }],
    target: [{ name: 'version', cell: 'version' }],
    receipts: [{ one: 'receipt', many: 'receipts' }],
    events: [{ one: 'event', many: 'events' }],
  },
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
});
