import { readFileSync } from 'node:fs';
import { bundleOf, bundleReplayedBy, insertReplay, latestReplay } from '#db/bundles.ts';
import { store } from '#db/open.ts';
import { DrillError } from '../core/errors.ts';
import type { Bundle } from '../drill/bundle/model.ts';
import { readBundle } from '../drill/bundle/read.ts';
import { compareReplay, type ReplayResult } from '../drill/bundle/replay.ts';
import { caseFile } from './import-bundle.ts';
import { loadRun } from './load-run.ts';
import { runToEnd } from './run-to-end.ts';
import { startRun } from './start-run.ts';

export interface Replayed {
  /** The run in which the scenario was run again. */
  run: string;
  result: ReplayResult;
}

async function bundleOfRun(id: string): Promise<Bundle> {
  if (!bundleOf(store(), id))
    throw new DrillError('usage', 'This run was not imported, so there is nothing to replay it against.');
  return readBundle(readFileSync(caseFile(id)));
}

/**
 * Runs the scenario of an imported case again, as a run of its own, and compares the two.
 *
 * @throws DrillError `usage` for a run that was not imported, `malformed` where its file was changed since; else as
 *   `advanceRun`
 */
export async function replayRun(id: string): Promise<Replayed> {
  loadRun(id);
  const bundle = await bundleOfRun(id);
  const { run } = await startRun({ scenario: bundle.scenario });
  insertReplay(store(), run, id);
  const { view } = await runToEnd({ run, seq: 1 });
  return { run, result: compareReplay(bundle, view.steps) };
}

/** The newest replay of an imported case, compared with it; null where there is none that came to its end. */
export async function replayOf(id: string): Promise<Replayed | null> {
  const run = latestReplay(store(), id);
  if (run === undefined) return null;
  const { records, scenario, begun } = loadRun(run);
  if (begun || !scenario || records.length < scenario.steps.length) return null;
  return { run, result: compareReplay(await bundleOfRun(id), records) };
}

/** The imported case that a run replays, or null. */
export function replayedBy(id: string): string | null {
  return bundleReplayedBy(store(), id) ?? null;
}
