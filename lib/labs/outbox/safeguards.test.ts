/** A rule that nobody misses is none: with any one off, a scenario comes out otherwise than declared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario } from '../../drill/run.ts';
import { getScenario } from '../../drill/scenario.ts';
import { whatFailed } from '../../testing/reasons.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { lab } from './manifest.ts';

/** For each safeguard a scenario that notices, and what it says then. */
const NOTICED: Record<string, [scenario: string, reason: RegExp]> = {
  'intent-with-request': ['before-intent-commit', /request-with-outbox is violated/],
  'receiver-dedupe': ['idempotent-lost-ack', /one-effect-per-intent is violated/],
  'dedupe-in-the-same-commit': ['concurrent-receiver', /one-effect-per-intent is violated.*8 tickets/],
  lease: ['lease-boundary', /one-claim-at-a-time is violated/],
  'attempt-fence': ['stale-external-worker', /final-states-stay is violated/],
  'response-check': ['boolean-ticket-id', /done-has-its-response is violated/],
  'payload-check': ['corrupt-payload', /ticket-as-requested is violated/],
  'unknown-stops': ['after-external-effect', /one-effect-per-intent is violated/],
  'receipt-ownership': ['made-past-the-sender', /answers-are-true is violated/],
  'proof-ends-doubt': ['blocked-beside-its-receipt', /no-doubt-beside-proof is violated/],
  'reviewed-decision': ['decided-while-it-runs', /one-effect-per-intent is violated/],
  'doubt-is-not-failure': ['error-reply', /answers-are-true is violated/],
  'one-call-per-attempt': ['external-response-lost', /one-effect-per-intent is violated/],
  'each-effect-its-record': ['charge-then-mail', /final-states-stay is violated/],
  'sweep-spares-open-work': ['sweeper-and-open-work', /final-states-stay is violated/],
  'wish-in-the-request': ['next-run-under-a-used-key', /accepted-is-recorded is violated/],
  'valid-response-outlives-exit': ['after-response-write', /step crashed, exit: expected 0, got 4/],
};

test('every safeguard of the manifest has its scenario here', () => {
  assert.deepEqual(lab.safeguards.map(({ name }) => name).sort(), Object.keys(NOTICED).sort());
});

for (const [safeguard, [name, reason]] of Object.entries(NOTICED)) {
  test(`without ${safeguard}, ${name} comes out otherwise than declared`, async (t) => {
    const run = await runScenario(lab, getScenario(`outbox/${name}`), {
      dir: tempDir(t),
      without: [safeguard],
    });
    assert.equal(run.verdict, 'violated');
    assert.match(whatFailed(lab, run).join('\n'), reason);
  });
}
