/** The write-recovery lab as everything outside it knows it (README.md). */
import type { DamageSpec, Lab, SafeguardSpec } from '../contract.ts';
import { commandSpecs } from './arguments.ts';
import { assess } from './assessment.ts';
import { boundaries, commits, lanes } from './boundaries.ts';
import { readEvidence } from './evidence.ts';
import { invariants } from './invariants.ts';
import { investigations, next, procedures } from './procedures.ts';
import { RUNS, type Safeguard, STORES, TICKETS } from './words.ts';

const safeguard = (name: Safeguard, prevents: string): SafeguardSpec => ({ name, prevents: prevents });

const safeguards: SafeguardSpec[] = [
  safeguard('ownership-needs-dispatch', 'Taking an equal ticket of somebody else for our own effect.'),
  safeguard('look-up-before-dispatch', 'Spending an attempt on something that has happened already.'),
  safeguard('stable-key', 'A second ticket that the service cannot know to be the first one again.'),
  safeguard(
    'attempt-with-intent',
    'A budget that a crash gives back: attempts that were made and not counted.',
  ),
  safeguard('approval-binding', 'An approval of one thing being used for another.'),
  safeguard('frozen-contract', 'A resumed run that carries out something other than what was started.'),
  safeguard('acceptance-reads-the-target', "Taking the tool's word for the ticket's content."),
  safeguard('cancel-reconciles', 'A cancellation that says nothing was done where something was.'),
  safeguard('policy-on-resume', 'An old permission outliving the policy that gave it.'),
];

const damage = (name: string, store: { id: string }, summary: string): DamageSpec => ({
  name,
  summary: summary,
  stores: [store.id],
});

const damages: DamageSpec[] = [
  damage('delete-runs', RUNS, 'Deletes runs.sqlite, the record of every task.'),
  damage('delete-tickets', TICKETS, "Deletes tickets.sqlite, the ticket service's own store."),
  {
    ...damage('restore-runs', RUNS, 'Puts back the copy of runs.sqlite taken after an earlier step.'),
    needsFrom: true,
  },
  {
    ...damage(
      'restore-tickets',
      TICKETS,
      'Puts back the copy of tickets.sqlite taken after an earlier step.',
    ),
    needsFrom: true,
  },
];

export const lab: Lab = {
  id: 'write-recovery',
  title: 'Write recovery',
  summary:
    'A durable task that creates one review ticket at a service: approval, budget, cancellation, acceptance, and no commit in common.',
  simulates:
    'Simulated: an approval is the digest of what was approved and authenticates nobody, and nothing leaves this machine.',
  provesNot: [
    'That "not found" means absent: this service looks up with authority, or says by how much it lags. A real one may say "not found" and mean "not yet", or may still receive the call of a worker that was given up.',
    'Approval by anybody: the digest is a fingerprint of what was approved, not a signature; anyone can compute it.',
    'Exactly once: the service deduplicates by key. One that knows no keys leaves only waiting and looking.',
    'Power loss: a killed process loses what it had not committed; a disk may lose more.',
    'A network: service and task are two files, and the call between them is a function.',
  ],
  stores: STORES.map((store) => ({ ...store })),
  lanes,
  commits,
  boundaries,
  commands: commandSpecs,
  clock: true,
  damages,
  safeguards,
  readEvidence,
  invariants,
  assess,
  investigations,
  runbook: [
    'Read the ticket that the event names: who created it, when, and for which task.',
    "Ask the service's own log or its operators who used this key; a client of ours leaves its run id.",
    'Make sure that no worker of this run is alive before you conclude that there is no ticket.',
    'Record the decision: `drill lab write-recovery resolve --conclusion confirmed --reference ticket-1 ...`, or `void`.',
  ],
  procedures,
  next,
  intentArgs: ['run', 'key'],
  makes: { one: 'ticket', many: 'tickets', is: () => true },
  headlines: {
    operation: [{ cell: 'state' }],
    target: [{ one: 'ticket', many: 'tickets' }],
    receipts: [{ one: 'operation key', many: 'operation keys', having: 'ticket' }],
    events: [{ one: 'event', many: 'events' }],
  },
  playlist: [
    { scenario: 'write-recovery/crash-after-effect', minutes: 6 },
    { scenario: 'write-recovery/crash-before-effect', minutes: 4 },
    { scenario: 'write-recovery/budget-one-crash-before-effect', minutes: 5 },
    { scenario: 'write-recovery/approved-value', minutes: 6 },
    { scenario: 'write-recovery/tool-succeeds-with-wrong-content', minutes: 5 },
    { scenario: 'write-recovery/cancel-after-dispatch-ticket-there', minutes: 6 },
    { scenario: 'write-recovery/cancel-beside-live-worker', minutes: 8 },
    { scenario: 'write-recovery/lag-fresh-key', minutes: 8 },
    { scenario: 'write-recovery/compensation-after-void', minutes: 6 },
    { scenario: 'write-recovery/compensation-fails', minutes: 5 },
  ],
  oracle: async () => (await import('./oracle.ts')).oracleSpec(),
};
