/**
 * Every built-in scenario, run by real executors into a store as a server does it, comes out as it declares; and the
 * dashboard shows each recorded run. No browser: what the pages say is read over HTTP.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, isBuilt } from '../bin/build.mjs';
import { closeStore } from '../db/open.ts';
import { allScenarios } from '../lib/drill/scenario.ts';
import { getLab } from '../lib/labs/registry.ts';
import { endAllSessions } from '../lib/operations/live.ts';
import { runToEnd } from '../lib/operations/run-to-end.ts';
import { startRun } from '../lib/operations/start-run.ts';
import { dataDirFor } from '../lib/testing/data-dir.ts';
import { whatFailed } from '../lib/testing/reasons.ts';
import { withServer } from './server.ts';

/** More than there are places for executors: while one run reads its evidence, another has its place. */
const AT_ONCE = 4;

/** What a person reads of a page: no markup, no script. */
const wordsOf = (html: string) =>
  html
    .replace(/<script[\s\S]*?<\/script>/g, '')
    .replace(/<!--.*?-->/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

test('every scenario comes out as declared, and its page shows the run', async (t) => {
  const dataDir = dataDirFor(t);
  const runs = new Map<string, string>();
  await t.test('runs', { concurrency: AT_ONCE }, async (all) => {
    await Promise.all(
      allScenarios().map((scenario) =>
        all.test(scenario.id, async () => {
          const { run } = await startRun({ scenario });
          const { view } = await runToEnd({ run, seq: 1 });
          assert.deepEqual([view.verdict, whatFailed(getLab(scenario.lab), view)], ['holds', []]);
          runs.set(scenario.id, run);
        }),
      ),
    );
  });
  await endAllSessions();
  closeStore(dataDir);

  assert.ok(isBuilt() || build(), 'the pages could be built');
  await withServer(async ({ url }) => {
    await t.test('pages', { concurrency: 2 }, async (all) => {
      await Promise.all(
        allScenarios().map(({ id, steps }) =>
          all.test(id, async () => {
            const response = await fetch(`${url}/runs/${runs.get(id)}`);
            const html = await response.text();
            assert.equal(response.status, 200, /<title>.*?<\/title>/.exec(html)?.[0]);
            const words = wordsOf(html);
            assert.match(words, /Verdict: ?holds/);
            for (const panel of ['Operation status', 'Target version', 'Receipts', 'Event history'])
              assert.ok(words.includes(panel), panel);
            for (const { label } of steps) assert.ok(words.includes(label), label);
          }),
        ),
      );
    });
    return undefined;
  }, dataDir);
});
