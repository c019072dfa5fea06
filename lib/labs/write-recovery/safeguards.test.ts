/** Every rule is missed: with it off, a scenario comes out otherwise than declared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whatFailed } from '../../testing/reasons.ts';
import { lab } from './manifest.ts';
import { scenario } from './testing/trial.ts';

const NOTICES: Record<string, { scenario: string; reason: RegExp }> = {
  'ownership-needs-dispatch': { scenario: 'void-of-anothers-ticket', reason: /compensates-its-own/ },
  'look-up-before-dispatch': { scenario: 'budget-one-crash-after-effect', reason: /budget_exhausted/ },
  'stable-key': { scenario: 'lag-stable-key', reason: /one-ticket-one-intent/ },
  'attempt-with-intent': { scenario: 'budget-one-crash-before-effect', reason: /attempts-within-budget/ },
  'approval-binding': { scenario: 'approval-of-another-tenant', reason: /no-ticket-without-approval/ },
  'frozen-contract': { scenario: 'contract-changed-on-resume', reason: /contract-stays/ },
  'acceptance-reads-the-target': {
    scenario: 'tool-succeeds-with-wrong-content',
    reason: /succeeded-as-expected/,
  },
  'cancel-reconciles': { scenario: 'cancel-after-dispatch-ticket-there', reason: /cancellation-true/ },
  'policy-on-resume': { scenario: 'policy-revoked-on-resume', reason: /Step "resumed", exit/ },
};

for (const { name } of lab.safeguards) {
  test(`without ${name} a scenario fails, and says why`, async (t) => {
    const notices = NOTICES[name];
    assert.ok(notices, 'no scenario is named for it');
    const run = await scenario(t, notices.scenario, [name]);
    assert.equal(run.verdict, 'violated');
    assert.match(whatFailed(lab, run).join('\n'), notices.reason);
  });
}

test('a bound approval stops what the contract lets through; with both off it is executed', async (t) => {
  assert.equal((await scenario(t, 'approved-value-unfrozen')).verdict, 'holds');
  const both = await scenario(t, 'approved-value-unfrozen', ['approval-binding']);
  assert.equal(both.verdict, 'violated');
  assert.match(whatFailed(lab, both).join('\n'), /no-ticket-without-approval/);
});
