/** The published document, from real processes; and that it is read, not written. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import { approvalDigest } from './approval.ts';
import { oracleSpec } from './oracle.ts';
import { scenario } from './testing/trial.ts';
import { DEFAULT_ACTION, DEFAULT_CONTEXT, DEFAULT_RUN } from './words.ts';

const file = join(dirname(fileURLToPath(import.meta.url)), 'golden', 'write-recovery.json');
const golden = JSON.parse(readFileSync(file, 'utf8')) as {
  approval_example: { sha256: string };
  cases: JsonObject;
};

test("the published approval's digest is that of the defaults", () => {
  assert.equal(approvalDigest(DEFAULT_CONTEXT, DEFAULT_RUN, DEFAULT_ACTION), golden.approval_example.sha256);
});

test('an approval of anything else has another digest', () => {
  const others = [
    approvalDigest({ ...DEFAULT_CONTEXT, tenant: 'team-b' }, DEFAULT_RUN, DEFAULT_ACTION),
    approvalDigest({ ...DEFAULT_CONTEXT, principal: 'bob' }, DEFAULT_RUN, DEFAULT_ACTION),
    approvalDigest({ ...DEFAULT_CONTEXT, policyVersion: 2 }, DEFAULT_RUN, DEFAULT_ACTION),
    approvalDigest(DEFAULT_CONTEXT, 'run-2', DEFAULT_ACTION),
    approvalDigest(DEFAULT_CONTEXT, DEFAULT_RUN, { ...DEFAULT_ACTION, source: 'x' }),
    approvalDigest(DEFAULT_CONTEXT, DEFAULT_RUN, { ...DEFAULT_ACTION, title: 'x' }),
    approvalDigest(DEFAULT_CONTEXT, DEFAULT_RUN, { ...DEFAULT_ACTION, tool: 'x' }),
  ];
  assert.equal(new Set([...others, golden.approval_example.sha256]).size, others.length + 1);
});

test('every published case is observed again, call by call', async (t) => {
  const spec = oracleSpec();
  const records: Record<string, readonly StepRecord[]> = {};
  for (const id of spec.scenarios) records[id] = (await scenario(t, id.split('/')[1] as string)).records;
  assert.deepEqual(spec.document(records), golden);
});

test('the document is read from what happened: with a rule off it is another one', async (t) => {
  const spec = oracleSpec();
  for (const [name, safeguard] of [
    ['crash-after-effect', 'look-up-before-dispatch'],
    ['policy-revoked-on-resume', 'policy-on-resume'],
  ] as const) {
    const run = await scenario(t, name, [safeguard]);
    const document = spec.document({ [`write-recovery/${name}`]: run.records });
    const key = name.replaceAll('-', '_');
    assert.notDeepEqual((document.cases as JsonObject)[key], golden.cases[key], safeguard);
  }
});
