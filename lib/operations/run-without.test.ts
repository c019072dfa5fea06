/** "What if this rule were missing?": which two runs may answer, and which may not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Host, inDirectory } from './testing/drive.ts';

const LOST_ACK = 'receipt/lost-ack';
const RULE = 'receipt-in-the-same-commit';

inDirectory(
  'only a scenario as it is and the same one with a rule missing are set side by side',
  async (dir) => {
    const host = new Host(join(dir, 'data'));
    await host.must('serve');
    const asked = { scenario: LOST_ACK, without: [RULE], said: 'none' };
    const pair = await host.must<{ sound: string; weak: string }>('runWithout', asked);
    const side = { scenario: LOST_ACK, runs: pair, said: 'none' };
    const { broke } = await host.must<{ broke: string[] }>('withAndWithout', side);
    assert.deepEqual(broke, ['every-change-accounted']);

    const { sound, weak } = pair;
    const { run: begun } = await host.must<{ run: string }>('start', { scenario: LOST_ACK });
    for (const [change, code, why] of [
      [{ runs: { sound: weak, weak: sound } }, 'usage', /first of these runs has a rule missing/],
      [{ runs: { sound, weak: sound } }, 'usage', /second of these runs has no rule missing/],
      [{ runs: { sound: begun, weak } }, 'usage', /not been run to their end/],
      [{ scenario: 'receipt/before-intent' }, 'usage', /not both runs of this scenario/],
      [{ scenario: 'receipt/nowhere' }, 'not-found', /nowhere/],
      [{ runs: { sound, weak: 'r00000000000000000000' } }, 'not-found', /./],
      [{ runs: { sound, weak: '../runs' } }, 'usage', /no run id/],
      [{ said: 'anything' }, 'usage', /no invariant of this lab/],
    ] as const) {
      const answer = await host.ask('withAndWithout', { ...side, ...change });
      assert.equal(answer?.code, code, JSON.stringify(change));
      assert.match(answer?.error ?? '', why);
    }
  },
);

inDirectory('a question that cannot be asked starts no run', async (dir) => {
  const host = new Host(join(dir, 'data'));
  await host.must('serve');
  for (const change of [{ without: [] }, { without: ['gravity'] }, { said: 'anything' }]) {
    const asked = { scenario: LOST_ACK, without: [RULE], said: 'none', ...change };
    assert.equal((await host.ask('runWithout', asked))?.code, 'usage', JSON.stringify(change));
  }
  assert.equal((await host.must<{ total: number }>('list')).total, 0);
});
