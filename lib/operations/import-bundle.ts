import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insertBundle, runOfBundle } from '#db/bundles.ts';
import { store } from '#db/open.ts';
import { insertPrediction } from '#db/predictions.ts';
import type { Bundle } from '../drill/bundle/model.ts';
import { readBundle } from '../drill/bundle/read.ts';
import { placeRun } from './place-run.ts';
import { newRunId, runDirectory } from './run-directory.ts';

/** Where the file that a run came in is kept. */
export function caseFile(run: string): string {
  return join(runDirectory(run), 'case.zip');
}

export interface Imported {
  run: string;
  /** False where the same file had been imported before: that run is the answer. */
  fresh: boolean;
}

function place(bundle: Bundle, bytes: Buffer, sha256: string): string {
  const { manifest, journal, scenario, lab } = bundle;
  const run = newRunId();
  placeRun({
    row: {
      id: run,
      lab: lab.id,
      scenario: null,
      definition: JSON.stringify(scenario),
      title: `Imported: ${journal.run.title}`,
      without: JSON.stringify(journal.run.without),
      faithful: 0,
      created_at: new Date().toISOString(),
      origin_run: null,
      origin_label: null,
      steps_total: scenario.steps.length,
    },
    lab,
    scenario,
    records: journal.steps.map((step) => step.record),
    fill(dir) {
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, 'case.zip'), bytes, { flag: 'wx' });
    },
    besides(db) {
      insertBundle(db, {
        run,
        sha256,
        code_version: manifest.code.version,
        code_digest: manifest.code.digest,
        node: manifest.runtime.node,
        sqlite: manifest.runtime.sqlite,
        scenario: scenario.id,
      });
      journal.steps.forEach(({ prediction }, index) => {
        if (!prediction) return;
        const value = prediction.said === null ? null : JSON.stringify(prediction.said);
        insertPrediction(db, { run, seq: index + 1, value });
      });
    },
  });
  return run;
}

/**
 * Takes a bundle in, to be shown read-only like any run. Starts no process, and unpacks nothing to disk: the file is
 * kept as it came.
 *
 * @throws DrillError `malformed` with one sentence where the file is no sound bundle; nothing is kept then
 */
export async function importBundle(bytes: Buffer): Promise<Imported> {
  const bundle = await readBundle(bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const known = runOfBundle(store(), sha256);
  if (known) return { run: known, fresh: false };
  return { run: place(bundle, bytes, sha256), fresh: true };
}
