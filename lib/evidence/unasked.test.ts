import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCase } from '../testing/case.ts';
import { askable } from './unasked.ts';

test('one who decides sees no row of a store that they cannot ask, and no ground truth', async (t) => {
  const { lab, records } = await runCase(t, 'outbox/after-external-effect');
  const evidence = records.findLast((record) => record.evidence)?.evidence;
  assert.ok(evidence);
  const stores = (of: typeof evidence) =>
    new Set(of.panels.flatMap(({ rows }) => rows.map(({ store }) => store)));
  assert.ok(stores(evidence).has('external'));
  const seen = askable(evidence, lab.unasked ?? []);
  assert.deepEqual([stores(seen).has('external'), stores(seen).has('sender'), seen.truth], [false, true, []]);
});
