import { branchesOf, bundleOf, bundleReplayedBy } from '#db/bundles.ts';
import { store } from '#db/open.ts';
import { predictionsOf } from '#db/predictions.ts';
import { originsOf } from '#db/runs.ts';
import type { Json } from '../core/json.ts';
import { codeVersion } from '../drill/bundle/versions.ts';
import { checkSentence } from '../drill/check-sentence.ts';
import { live, liveKey } from './live.ts';
import { type Judgement, type LoadedRun, loadRun } from './load-run.ts';
import type { ImportedView, RunView } from './model.ts';
import { recoverRun } from './recover-run.ts';

function importedView(run: string, lab: string): ImportedView | null {
  const row = bundleOf(store(), run);
  if (!row) return null;
  const { code_version: version, code_digest: digest, node, sqlite } = row;
  const here = codeVersion(lab);
  return { version, sameCode: version === here.version && digest === here.digest, node, sqlite };
}

/** A loaded run as pages and the command line see it. */
export function viewOf(run: LoadedRun): RunView {
  const { row, records, begun } = run;
  const judgement = JSON.parse(row.judgement) as Judgement;
  return {
    id: row.id,
    lab: row.lab,
    scenario: run.scenario,
    title: row.title,
    without: run.without,
    createdAt: row.created_at,
    steps: records,
    next: begun ? null : run.next,
    nextSeq: records.length + (begun ? 2 : 1),
    running: begun
      ? { seq: begun.seq, label: begun.label, waiting: live().waiting.has(liveKey(row.id)) }
      : null,
    holding: JSON.parse(row.holding) as string[],
    lost: row.lost === 1,
    stuck: judgement.stuck,
    verdict: judgement.verdict,
    reasons: judgement.reasons,
    checks: judgement.checks.map((check) => ({ ...check, says: checkSentence(check.check) })),
    invariants: judgement.invariants,
    effect: row.effect,
    decision: row.decision,
    origin: row.origin_run ? { run: row.origin_run, label: row.origin_label ?? '' } : null,
    originDeleted: row.origin_run !== null && originsOf(store(), [row.origin_run]).size === 0,
    branches: branchesOf(store(), row.id).map(({ id: branch, label, title }) => ({
      run: branch,
      label,
      title,
    })),
    imported: importedView(row.id, row.lab),
    replays: bundleReplayedBy(store(), row.id) ?? null,
    diskBytes: row.disk_bytes,
    predictions: predictionsOf(store(), row.id).map(({ seq, value }) => ({
      seq,
      value: value === null ? null : (JSON.parse(value) as Json),
    })),
  };
}

/**
 * A run with everything recorded of it. A step whose owner has died since is settled first, so that the page
 * never shows a step at work that nobody works on.
 *
 * @throws DrillError `usage` for what is no run id, `not-found` where there is no such run
 */
export async function getRun(id: string): Promise<RunView> {
  const run = loadRun(id);
  return viewOf((await recoverRun(run)) ? loadRun(id) : run);
}
