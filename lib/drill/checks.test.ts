import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getLab } from '../labs/registry.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { evaluateCheck } from './checks.ts';
import { databaseDir, RunSession } from './engine.ts';
import type { Check, StepRecord } from './model.ts';

const lab = getLab('receipt');

test('a panel that cannot be read proves no absence: a check on it is unknown', async (t) => {
  const dir = tempDir(t);
  const session = new RunSession({ lab, dir });
  const record = await session.runStep({ label: 'init', command: 'init' }, []);
  const none: Check = { at: 'init', panel: 'receipts', count: 0 };
  const version: Check = { at: 'init', panel: 'target', row: 'synthetic-bucket', cell: 'version', equals: 1 };
  assert.equal(evaluateCheck(lab, none, [record], true).result, 'holds');
  assert.equal(evaluateCheck(lab, version, [record], true).result, 'holds');
  rmSync(join(databaseDir(dir), 'lab.sqlite'));
  const gone: StepRecord = { ...record, label: 'gone', evidence: lab.readEvidence(databaseDir(dir)) };
  for (const check of [
    { ...none, at: 'gone' },
    { ...version, at: 'gone' },
    { unchanged: 'events', from: 'init', to: 'gone' } as const,
  ]) {
    assert.equal(evaluateCheck(lab, check, [record, gone], true).result, 'unknown', JSON.stringify(check));
  }
});

test('a check before its step is unknown; a missing row in a store that can be read is violated', async (t) => {
  const session = new RunSession({ lab, dir: tempDir(t) });
  const record = await session.runStep({ label: 'init', command: 'init' }, []);
  const at = (label: string): Check => ({
    at: label,
    panel: 'operation',
    row: 'x',
    cell: 'status',
    equals: 'complete',
  });
  assert.equal(evaluateCheck(lab, at('later'), [record], false).result, 'unknown');
  assert.equal(evaluateCheck(lab, at('end'), [record], false).result, 'unknown');
  assert.equal(evaluateCheck(lab, at('init'), [record], false).result, 'violated');
});
