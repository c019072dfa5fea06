/** Rules that can be switched off, one line each on what they prevent; and the damages, which no rule prevents. */
import type { DamageSpec, SafeguardSpec } from '../contract.ts';

export const safeguards: SafeguardSpec[] = [
  {
    name: 'intent-with-request',
    prevents: 'An accepted request that no outbox row will ever send: both are written in one commit.',
  },
  {
    name: 'receiver-dedupe',
    prevents: 'A second ticket for a repeated delivery: the receiver looks up its receipt first.',
  },
  {
    name: 'dedupe-in-the-same-commit',
    certainIn: ['outbox/concurrent-receiver'],
    prevents:
      'Two deliveries that both look before either writes: look-up, ticket and receipt share one transaction and a unique key.',
  },
  { name: 'lease', prevents: 'A second sender taking a row while the first is still at work.' },
  {
    name: 'attempt-fence',
    prevents: 'An old lease holder overwriting what a newer attempt recorded.',
  },
  {
    name: 'response-check',
    prevents: 'Taking an answer to something else, or no answer at all, for an acknowledgement.',
  },
  {
    name: 'payload-check',
    prevents: 'Sending what nobody asked for, after the stored payload was damaged.',
  },
  {
    name: 'unknown-stops',
    prevents: 'Calling a tool without receipts again because nobody knows whether the first call arrived.',
  },
  {
    name: 'valid-response-outlives-exit',
    prevents: 'Throwing away a complete, valid response because its writer died afterwards.',
  },
  {
    name: 'receipt-ownership',
    prevents: "Taking a ticket that was made past the sender for the sender's own.",
  },
  {
    name: 'proof-ends-doubt',
    prevents: 'Leaving an operation unknown or blocked beside the receipt that proves it.',
  },
  {
    name: 'reviewed-decision',
    prevents: 'A decision that contradicts the evidence, or comes while an attempt may still act.',
  },
  {
    name: 'doubt-is-not-failure',
    prevents: 'Recording a time-out or an error reply as "did not happen", and sending again.',
  },
  {
    name: 'each-effect-its-record',
    prevents: 'Repeating the effects that are done because another of the same operation is missing.',
  },
  {
    name: 'sweep-spares-open-work',
    prevents: 'A sweeper removing what was made and is not recorded yet.',
  },
  {
    name: 'wish-in-the-request',
    prevents: 'Dropping a new wish under a used key: the same key with another wish is a conflict.',
  },
  {
    name: 'one-call-per-attempt',
    prevents: 'A client library repeating a call by itself, out of sight of the record.',
  },
];

export const damages: DamageSpec[] = [
  {
    name: 'corrupt-payload',
    summary: 'Changes the body in every outbox row; the stored hash stays.',
    stores: ['sender'],
  },
  {
    name: 'corrupt-json',
    summary: 'Cuts the stored payload of every outbox row short.',
    stores: ['sender'],
  },
  {
    name: 'empty-receipt',
    summary: 'Empties the stored response of every receipt.',
    stores: ['receiver'],
  },
  {
    name: 'change-ticket',
    summary: 'Changes the title of every ticket of the receiver; the receipts stay.',
    stores: ['receiver'],
  },
  {
    name: 'delete-receipts',
    summary: 'Deletes every receipt, as a retention job does when the window is too short.',
    stores: ['receiver'],
  },
  {
    name: 'restore-receiver',
    summary: 'Puts back the copy of the receiver that was taken at an earlier step.',
    needsFrom: true,
    stores: ['receiver'],
  },
  { name: 'delete-sender', summary: "Deletes the sender's database file.", stores: ['sender'] },
  { name: 'delete-receiver', summary: "Deletes the receiver's database file.", stores: ['receiver'] },
  {
    name: 'scribble-sender',
    summary: "Puts plain text in the place of the sender's database.",
    stores: ['sender'],
  },
  {
    name: 'scribble-receiver',
    summary: "Puts plain text in the place of the receiver's database.",
    stores: ['receiver'],
  },
];
