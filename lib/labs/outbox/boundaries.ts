/** Where an executor or its receiver can be stopped, and the commits beside which these places lie. */
import type { BoundarySpec, CommitSpec, LaneSpec } from '../contract.ts';

export const lanes: LaneSpec[] = [
  { id: 'outbox', store: 'sender', title: { en: 'Sender: outbox' }, panel: 'operation' },
  { id: 'tickets', store: 'receiver', title: { en: 'Receiver: tickets' }, panel: 'target' },
  { id: 'receipts', store: 'receiver', title: { en: 'Receiver: receipts' }, panel: 'receipts' },
  { id: 'tool', store: 'external', title: { en: 'External tool: tickets' }, panel: 'target' },
];

export const commits: CommitSpec[] = [
  { name: 'request', store: 'sender', lanes: ['outbox'], label: { en: 'request alone' } },
  {
    name: 'intent',
    store: 'sender',
    lanes: ['outbox'],
    label: { en: 'request and outbox row' },
    commands: ['enqueue'],
  },
  {
    name: 'claim',
    store: 'sender',
    lanes: ['outbox'],
    label: { en: 'claim: attempt and lease' },
    commands: ['claim', 'dispatch'],
  },
  { name: 'mark', store: 'sender', lanes: ['outbox'], label: { en: 'marked done, nothing sent' } },
  { name: 'ticket', store: 'receiver', lanes: ['tickets'], label: { en: 'ticket, no receipt' } },
  {
    name: 'ticket-and-receipt',
    store: 'receiver',
    lanes: ['tickets', 'receipts'],
    label: { en: 'ticket, receipt and response' },
  },
  { name: 'external-ticket', store: 'external', lanes: ['tool'], label: { en: 'ticket at the tool' } },
  {
    name: 'ack',
    store: 'sender',
    lanes: ['outbox'],
    label: { en: 'acknowledgement, or its refusal' },
    commands: ['dispatch'],
  },
  { name: 'conclude', store: 'sender', lanes: ['outbox'], label: { en: 'unknown or blocked' } },
];

const before = (commit: string) => ({ commit, side: 'before' }) as const;
const after = (commit: string) => ({ commit, side: 'after' }) as const;

export const boundaries: BoundarySpec[] = [
  {
    name: 'before-intent',
    role: 'executor',
    lock: 'free',
    ...before('intent'),
    shows: { en: 'Nothing is recorded; whoever asked has no answer and asks again with the same key.' },
  },
  {
    name: 'after-request-commit',
    role: 'executor',
    lock: 'free',
    ...after('request'),
    onlyWithout: 'intent-with-request',
    shows: { en: 'The request is accepted, and no outbox row will ever send it.' },
  },
  {
    name: 'before-intent-commit',
    role: 'executor',
    lock: 'held',
    ...before('intent'),
    shows: { en: 'Request and outbox row vanish together.' },
  },
  {
    name: 'after-intent-commit',
    role: 'executor',
    lock: 'free',
    ...after('intent'),
    shows: {
      en: 'The intent is there, its acceptance was not heard: the same key is accepted again, without a second row.',
    },
  },
  {
    name: 'before-claim',
    role: 'executor',
    lock: 'free',
    ...before('claim'),
    shows: { en: 'Nothing is claimed; many senders may stand here at once.' },
  },
  {
    name: 'after-claim',
    role: 'executor',
    lock: 'free',
    ...after('claim'),
    shows: { en: 'The row is in flight and nothing was sent: from the record alone the two look alike.' },
  },
  {
    name: 'after-mark-before-send',
    role: 'executor',
    lock: 'free',
    ...after('mark'),
    shows: { en: 'The record says done; nothing was sent, and nothing ever will be.' },
  },
  {
    name: 'before-receive',
    role: 'receiver',
    lock: 'free',
    ...before('ticket-and-receipt'),
    shows: { en: 'The delivery arrived and was not begun; many deliveries may stand here at once.' },
  },
  {
    name: 'before-receiver-commit',
    role: 'receiver',
    lock: 'held',
    ...before('ticket-and-receipt'),
    shows: { en: 'Ticket and receipt vanish together.' },
  },
  {
    name: 'after-receiver-commit',
    role: 'receiver',
    lock: 'free',
    ...after('ticket-and-receipt'),
    shows: { en: 'The ticket exists and the sender heard nothing.' },
  },
  {
    name: 'before-external-effect',
    role: 'receiver',
    lock: 'free',
    ...before('external-ticket'),
    shows: { en: 'The tool was not called, and the sender cannot know that.' },
  },
  {
    name: 'after-external-effect',
    role: 'receiver',
    lock: 'free',
    ...after('external-ticket'),
    shows: { en: 'The tool was called, and the sender cannot know that either.' },
  },
  {
    name: 'after-response-write',
    role: 'receiver',
    lock: 'free',
    shows: { en: 'The response is out and the receiver dies: the response is evidence, the exit is not.' },
  },
  {
    name: 'after-response-before-ack',
    role: 'executor',
    lock: 'free',
    ...before('ack'),
    shows: { en: 'The sender had the response in its hands and lost it: the row still says in flight.' },
  },
  {
    name: 'after-ack',
    role: 'executor',
    lock: 'free',
    ...after('ack'),
    shows: { en: 'Everything is recorded; only the caller did not hear it.' },
  },
];
