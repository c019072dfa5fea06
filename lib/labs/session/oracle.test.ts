/** The published document is reproduced from observation, and changes when a rule is switched off. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { runScenario } from '../../drill/run.ts';
import { getScenario } from '../../drill/scenario.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { lab } from './manifest.ts';
import { oracle } from './oracle.ts';
import type { Safeguard } from './words.ts';

const published = JSON.parse(readFileSync(join(import.meta.dirname, 'golden', 'session.json'), 'utf8')) as {
  demo: JsonObject;
  contracts: JsonObject;
};

/** Runs each scenario once and keeps it, so that a rule switched off costs one run more and not seventeen. */
const observed = new Map<string, readonly StepRecord[]>();

async function observe(t: TestContext, id: string, without: string[] = []): Promise<readonly StepRecord[]> {
  const kept = without.length === 0 ? observed.get(id) : undefined;
  if (kept) return kept;
  const { records } = await runScenario(lab, getScenario(id), { dir: tempDir(t), without });
  if (without.length === 0) observed.set(id, records);
  return records;
}

async function document(
  t: TestContext,
  off?: { scenario: string; without: Safeguard },
): Promise<{ demo: JsonObject; contracts: JsonObject }> {
  const records: Record<string, readonly StepRecord[]> = {};
  for (const id of oracle.scenarios) {
    records[id] = await observe(t, id, id === off?.scenario ? [off.without] : []);
  }
  return oracle.document(records) as { demo: JsonObject; contracts: JsonObject };
}

test('demo and contracts are deep-equal to the published document', async (t) => {
  const found = await document(t);
  assert.deepEqual(found.demo, published.demo);
  assert.deepEqual(found.contracts, published.contracts);
});

const CHANGES: { without: Safeguard; scenario: string; member: string }[] = [
  { without: 'version-check', scenario: 'session/two-writers', member: 'concurrent_writers_same_version' },
  {
    without: 'version-check',
    scenario: 'session/fresh-version-after-conflict',
    member: 'fresh_version_after_conflict',
  },
  { without: 'unique-key', scenario: 'session/parallel-retries', member: 'parallel_retries_one_key' },
  { without: 'unique-key', scenario: 'session/key-reused', member: 'key_reused_with_other_parameters' },
  {
    without: 'epoch-in-identity',
    scenario: 'session/disconnect-after-commit',
    member: 'disconnect_after_commit',
  },
  {
    without: 'fresh-catalogue',
    scenario: 'session/catalogue-changed',
    member: 'catalogue_changed_while_listing',
  },
  {
    without: 'uncertain-survives',
    scenario: 'session/cancelled-call-late-reply',
    member: 'cancelled_call_late_reply',
  },
];

for (const { without, scenario, member } of CHANGES) {
  test(`without ${without} the document changes in ${member} and nowhere else`, async (t) => {
    const found = await document(t, { scenario, without });
    assert.notDeepEqual(found.contracts[member], published.contracts[member]);
    assert.deepEqual({ ...found.contracts, [member]: published.contracts[member] }, published.contracts);
  });
}

test('the demo follows the version check, the epoch and the durable record', async (t) => {
  const scenario = 'session/late-reply-on-a-new-connection';
  const members = {
    'version-check': 'concurrent_updates_accepted',
    'epoch-in-identity': 'late_response',
    'uncertain-survives': 'needs_reconciliation',
  } as const;
  for (const [without, member] of Object.entries(members)) {
    const found = await document(t, { scenario, without: without as Safeguard });
    assert.notDeepEqual(found.demo[member], published.demo[member], without);
  }
});

test('a member is read from the message log: another log, another document', async (t) => {
  await document(t);
  const records = Object.fromEntries([...observed].map(([id, kept]) => [id, structuredClone(kept)]));
  const events = records['session/malformed-reply']?.find(({ label }) => label === 'talk')?.evidence
    ?.panels[3];
  assert.ok(events);
  for (const row of events.rows) row.cells.pending = [];
  const found = oracle.document(records) as { contracts: JsonObject };
  assert.deepEqual(found.contracts.malformed_reply, { refused: true, request_still_pending: false });
});
