/** Where an executor or its receiver can be stopped, and the commits beside which these places lie. */
import type { BoundarySpec, CommitSpec, LaneSpec } from '../contract.ts';

export const lanes: LaneSpec[] = [
  { id: 'outbox', store: 'sender', title: 'Sender: outbox', panel: 'operation' },
  { id: 'tickets', store: 'receiver', title: 'Receiver: tickets', panel: 'target' },
  { id: 'receipts', store: 'receiver', title: 'Receiver: receipts', panel: 'receipts' },
  { id: 'tool', store: 'external', title: 'External tool: tickets', panel: 'target' },
];

export const commits: CommitSpec[] = [
  { name: 'request', store: 'sender', lanes: ['outbox'], label: 'request alone' },
  {
    name: 'intent',
    store: 'sender',
    lanes: ['outbox'],
    label: 'request and outbox row',
    commands: ['enqueue'],
  },
  {
    name: 'claim',
    store: 'sender',
    lanes: ['outbox'],
    label: 'claim: attempt and lease',
    commands: ['claim', 'dispatch'],
  },
  { name: 'mark', store: 'sender', lanes: ['outbox'], label: 'marked done, nothing sent' },
  { name: 'ticket', store: 'receiver', lanes: ['tickets'], label: 'ticket, no receipt' },
  {
    name: 'ticket-and-receipt',
    store: 'receiver',
    lanes: ['tickets', 'receipts'],
    label: 'ticket, receipt and response',
  },
  { name: 'sweep', store: 'receiver', lanes: ['tickets', 'receipts'], label: 'orphans removed' },
  { name: 'external-ticket', store: 'external', lanes: ['tool'], label: 'ticket at the tool' },
  {
    name: 'ack',
    store: 'sender',
    lanes: ['outbox'],
    label: 'acknowledgement, or its refusal',
    commands: ['dispatch'],
  },
  { name: 'conclude', store: 'sender', lanes: ['outbox'], label: 'how the attempt ended' },
  { name: 'recover', store: 'sender', lanes: ['outbox'], label: 'its own proof taken in' },
  { name: 'resolve', store: 'sender', lanes: ['outbox'], label: 'a reviewed decision' },
];

const before = (commit: string) => ({ commit, side: 'before' }) as const;
const after = (commit: string) => ({ commit, side: 'after' }) as const;

export const boundaries: BoundarySpec[] = [
  {
    name: 'before-intent',
    role: 'executor',
    lock: 'free',
    ...before('intent'),
    shows: 'Nothing is recorded; whoever asked has no answer and asks again with the same key.',
  },
  {
    name: 'after-request-commit',
    role: 'executor',
    lock: 'free',
    ...after('request'),
    onlyWithout: 'intent-with-request',
    shows: 'The request is accepted, and no outbox row will ever send it.',
  },
  {
    name: 'before-intent-commit',
    role: 'executor',
    lock: 'held',
    ...before('intent'),
    shows: 'Request and outbox row vanish together.',
  },
  {
    name: 'after-intent-commit',
    role: 'executor',
    lock: 'free',
    ...after('intent'),
    shows:
      'The intent is there, its acceptance was not heard: the same key is accepted again, without a second row.',
  },
  {
    name: 'before-claim',
    role: 'executor',
    lock: 'free',
    ...before('claim'),
    shows: 'Nothing is claimed; many senders may stand here at once.',
  },
  {
    name: 'after-claim',
    role: 'executor',
    lock: 'free',
    ...after('claim'),
    shows: 'The row is in flight and nothing was sent: from the record alone the two look alike.',
  },
  {
    name: 'after-mark-before-send',
    role: 'executor',
    lock: 'free',
    ...after('mark'),
    shows: 'The record says done; nothing was sent, and nothing ever will be.',
  },
  {
    name: 'before-receive',
    role: 'receiver',
    lock: 'free',
    ...before('ticket-and-receipt'),
    shows: 'The delivery arrived and was not begun; many deliveries may stand here at once.',
  },
  {
    name: 'before-receiver-commit',
    role: 'receiver',
    lock: 'held',
    ...before('ticket-and-receipt'),
    shows: 'Ticket and receipt vanish together.',
  },
  {
    name: 'after-receiver-commit',
    role: 'receiver',
    lock: 'free',
    ...after('ticket-and-receipt'),
    shows: 'The ticket exists and the sender heard nothing.',
  },
  {
    name: 'before-external-effect',
    role: 'receiver',
    lock: 'free',
    ...before('external-ticket'),
    shows: 'The tool was not called, and the sender cannot know that.',
  },
  {
    name: 'after-external-effect',
    role: 'receiver',
    lock: 'free',
    ...after('external-ticket'),
    shows: 'The tool was called, and the sender cannot know that either.',
  },
  {
    name: 'after-response-write',
    role: 'receiver',
    lock: 'free',
    shows: 'The response is out and the receiver dies: the response is evidence, the exit is not.',
  },
  {
    name: 'after-response-before-ack',
    role: 'executor',
    lock: 'free',
    ...before('ack'),
    shows: 'The sender had the response in its hands and lost it: the row still says in flight.',
  },
  {
    name: 'after-ack',
    role: 'executor',
    lock: 'free',
    ...after('ack'),
    shows: 'Everything is recorded; only the caller did not hear it.',
  },
  {
    name: 'after-decision',
    role: 'executor',
    lock: 'free',
    ...after('resolve'),
    shows: 'The decision is recorded; the person who made it has no answer and finds it there.',
  },
];
