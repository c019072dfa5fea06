/** How an operator reads what survived: each scenario's end, told without the ground truth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario } from '../../drill/run.ts';
import { getScenario } from '../../drill/scenario.ts';
import type { Evidence } from '../../evidence/model.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { lab } from './manifest.ts';

/** Effect and decision, step by step behind the first two or three that set the stage. */
const ASSESSMENTS: Record<string, [label: string, effect: string, decision: string][]> = {
  'naive-lost-ack': [
    ['init', 'absent', 'none'],
    ['enqueue', 'absent', 'retry-same-key'],
    ['crashed', 'unknown', 'investigate'],
    ['restarted', 'unknown', 'investigate'],
  ],
  'idempotent-lost-ack': [
    ['crashed', 'confirmed', 'reconcile'],
    ['restarted', 'confirmed', 'none'],
  ],
  'after-claim': [['crashed', 'unknown', 'retry-same-key']],
  'before-intent-commit': [['crashed', 'absent', 'retry-same-key']],
  'mark-before-send-loses-task': [['restarted', 'unknown', 'investigate']],
  'after-external-effect': [['restarted', 'unknown', 'investigate']],
  'response-for-another-key': [['answered', 'confirmed', 'reconcile']],
  'receipt-emptied': [
    ['damaged', 'unknown', 'investigate'],
    ['again', 'unknown', 'investigate'],
  ],
  'receiver-restored': [
    ['acknowledged', 'confirmed', 'none'],
    ['again', 'unknown', 'investigate'],
  ],
  'key-scoped-by-caller': [['second', 'confirmed', 'none']],
  'sender-deleted': [['again', 'unknown', 'investigate']],
};

for (const [name, expected] of Object.entries(ASSESSMENTS)) {
  test(`${name}: what the evidence permits`, async (t) => {
    const { records } = await runScenario(lab, getScenario(`outbox/${name}`), { dir: tempDir(t) });
    const found = expected.map(([label]) => {
      const at = records.findIndex((record) => record.label === label);
      const blind = records.slice(0, at + 1).map((record) => ({
        ...record,
        evidence: record.evidence && { ...record.evidence, truth: [] },
      }));
      const { effect, decision } = lab.assess(blind);
      return [label, effect, decision];
    });
    assert.deepEqual(found, expected);
  });
}

test('that the sender cannot see the tickets of the tool is said beside them, and where there are none', async (t) => {
  const remarked = async (id: string) => {
    const { records } = await runScenario(lab, getScenario(`outbox/${id}`), { dir: tempDir(t) });
    return records.map(({ evidence }) => /sender cannot see/.test(evidence ? remarkOn(evidence) : ''));
  };
  assert.deepEqual(await remarked('before-external-effect'), [false, true, true, true]);
  assert.deepEqual(await remarked('after-external-effect'), [false, true, true, true]);
  assert.ok(!(await remarked('idempotent-lost-ack')).includes(true));
});

const remarkOn = (evidence: Evidence): string => lab.remarks?.(evidence).target ?? '';
