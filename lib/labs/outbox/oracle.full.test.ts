/** The published document changes with the rules that it was observed under. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { oracleDocument } from '../../cli/oracle.ts';
import { projectRoot } from '../../core/project-root.ts';

const golden = JSON.parse(
  readFileSync(join(projectRoot(), 'lib/labs/outbox/golden/outbox-results.json'), 'utf8'),
);

test('the document is observed, not written down: a receiver without look-up and a sender that goes on at unknown change it', async () => {
  const { cases } = (await oracleDocument('outbox', ['receiver-dedupe', 'unknown-stops'])) as typeof golden;
  assert.equal(cases.idempotent_lost_ack.after_restart.receiver_tickets, 2);
  assert.equal(cases.concurrent_receiver.unique_responses, 8);
  assert.equal(cases.mismatched_payload.rejected, false);
  assert.equal(cases.after_external_effect.automatic_retry, true);
  assert.equal(cases.after_external_effect.after_restart.external_tickets, 2);
  assert.deepEqual(cases.naive_lost_ack, golden.cases.naive_lost_ack);
});
