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
  'intent-with-request': ['before-intent-commit', /request-with-outbox/],
  'receiver-dedupe': ['idempotent-lost-ack', /one-effect-per-intent/],
  'dedupe-in-the-same-commit': ['concurrent-receiver', /one-effect-per-intent[^\n]*8 tickets/],
  lease: ['lease-boundary', /one-claim-at-a-time/],
  'attempt-fence': ['stale-external-worker', /final-states-stay/],
  'response-check': ['boolean-ticket-id', /done-has-its-response/],
  'payload-check': ['corrupt-payload', /ticket-as-requested/],
  'unknown-stops': ['after-external-effect', /one-effect-per-intent/],
  'receipt-ownership': ['made-past-the-sender', /answers-are-true/],
  'proof-ends-doubt': ['blocked-beside-its-receipt', /no-doubt-beside-proof/],
  'reviewed-decision': ['decided-while-it-runs', /one-effect-per-intent/],
  'doubt-is-not-failure': ['error-reply', /answers-are-true/],
  'one-call-per-attempt': ['external-response-lost', /one-effect-per-intent/],
  'each-effect-its-record': ['charge-then-mail', /final-states-stay/],
  'sweep-spares-open-work': ['sweeper-and-open-work', /final-states-stay/],
  'wish-in-the-request': ['next-run-under-a-used-key', /accepted-is-recorded/],
  'valid-response-outlives-exit': ['after-response-write', /Step "crashed", exit: expected 0, got 4/],
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
