import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataDirFor } from '../testing/data-dir.ts';
import { compareRuns } from './compare-runs.ts';
import { runPair, TEACHING_PAIRS } from './teaching-pairs.ts';

test('every pair that teaches shows a difference, but for the one that shows that there is none', async (t) => {
  dataDirFor(t);
  for (const { id, sides } of TEACHING_PAIRS) {
    const { runs } = await runPair(id);
    assert.equal(new Set(runs).size, sides.length, `${id}: as many runs as sides`);
    const compared = await compareRuns(runs);
    assert.equal(compared.equal, id === 'same', `${id}: ${compared.sentences.join(' ')}`);
    assert.equal(
      compared.runs.every(({ run }) => run.next === null),
      true,
      id,
    );
  }
});

test('with two rules off the same drill costs a second change', async (t) => {
  dataDirFor(t);
  const { runs } = await compareRuns((await runPair('safeguard')).runs);
  assert.deepEqual(
    runs.map((one) => one.costs),
    [[], ['two changes for one intent']],
  );
});

test('runs that are there already are used, not repeated', async (t) => {
  dataDirFor(t);
  const first = await runPair('ownership');
  assert.deepEqual(await runPair('ownership'), first);
  assert.equal((await runPair('same')).runs.includes(first.runs[0] as string), true);
});
