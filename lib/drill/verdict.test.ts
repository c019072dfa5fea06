import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getLab } from '../labs/registry.ts';
import type { Check } from './model.ts';
import { getScenario } from './scenario.ts';
import { whatBroke } from './sweep/mechanisms.ts';
import { type Judgment, judge } from './verdict.ts';

const check: Check = { at: 'end', panel: 'receipts', count: 2 };

test('a check that is not as it should be is named in its own words, with both figures', () => {
  const scenario = { ...getScenario('receipt/lost-ack'), steps: [], checks: [check] };
  const { reasons } = judge(getLab('receipt'), scenario, []);
  assert.deepEqual(reasons, ['There are 2 rows in the receipts at the end: the run has not ended']);
});

test('what broke is told by a statement, else by a check, else by what was expected of a step', () => {
  const judgment = (more: Partial<Judgment>): Judgment => ({
    verdict: 'violated',
    checks: [],
    statements: [],
    reasons: ['step run, exit: expected 3, got 0'],
    ...more,
  });
  const checks = [{ check, result: 'violated' as const, detail: '2 expected, 3 found' }];
  const id = 'one-effect';
  const statements = [{ id, result: 'violated' as const, detail: 'two', declared: null, since: 'run' }];
  const reasons = ['step run, exit: expected 3, got 0', 'one-effect is violated since run: two'];
  assert.match(whatBroke(judgment({ checks, statements, reasons })).reason, /^one-effect is violated/);
  assert.equal(
    whatBroke(judgment({ checks })).reason,
    'There are 2 rows in the receipts at the end: 2 expected, 3 found',
  );
  assert.match(whatBroke(judgment({})).reason, /^step run, exit/);
});
