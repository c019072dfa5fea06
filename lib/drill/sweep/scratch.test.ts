import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startExecutor } from '../../executor/launch.ts';
import { getLab } from '../../labs/registry.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { scenariosOf } from '../scenario.ts';
import { safeguardTable } from './safeguards.ts';
import { runSweep, type SweepOptions } from './sweep.ts';

const receipt = getLab('receipt');
const SENTENCE = /Files of this sweep were removed under it, so it was stopped/;

/** Calls `work` when it is asked for the nth time. */
function atThe(nth: number, work: () => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count === nth) work();
  };
}

const removals: Record<string, (dir: string) => void> = {
  'the whole directory': (dir) => rmSync(dir, { recursive: true }),
  'what the steps have left': (dir) => {
    for (const name of readdirSync(dir)) if (/^\d+$/.test(name)) rmSync(join(dir, name), { recursive: true });
  },
  'the databases alone': (dir) => {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.sqlite')) rmSync(join(dir, name));
  },
};

for (const [what, remove] of Object.entries(removals)) {
  const hooks: Record<string, (dir: string) => Partial<SweepOptions>> = {
    'between two steps': (dir) => {
      const count = atThe(9, () => remove(dir));
      return {
        gate: async () => {
          count();
          return () => {};
        },
      };
    },
    'while a step runs': (dir) => {
      // Most steps are served by an executor that has served before, so there are few starts.
      const count = atThe(4, () => remove(dir));
      return {
        start: (lab) => {
          count();
          return startExecutor(lab);
        },
      };
    },
  };
  for (const [when, hook] of Object.entries(hooks))
    test(`a sweep that loses ${what} ${when} is stopped, and records no cell about it`, async (t) => {
      const dir = join(tempDir(t), 'sweep');
      const verdicts: string[] = [];
      const sweep = runSweep(receipt, {
        dir,
        procedures: ['run'],
        ways: ['exit'],
        lanes: 1,
        onCell: ({ verdict }) => verdicts.push(verdict),
        ...hook(dir),
      });
      await assert.rejects(sweep, SENTENCE);
      assert.deepEqual(
        verdicts.filter((verdict) => verdict !== 'holds'),
        [],
      );
    });
}

test('a race that loses its directory is no cell of the safeguard table', async (t) => {
  const dir = join(tempDir(t), 'sweep');
  const scenarios = scenariosOf('receipt').filter(({ id }) => id === 'receipt/eight-at-once');
  const count = atThe(3, () => rmSync(dir, { recursive: true }));
  const gate = async () => {
    count();
    return () => {};
  };
  await assert.rejects(safeguardTable(receipt, { dir, scenarios, lanes: 1, gate }), SENTENCE);
});
