import { readFileSync } from 'node:fs';
import { bundleOf } from '#db/bundles.ts';
import { dataDirectory, store } from '#db/open.ts';
import { predictionsOf } from '#db/predictions.ts';
import { DrillError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { readBundle } from '../drill/bundle/read.ts';
import { type BundleSource, makeBundle } from '../drill/bundle/write.ts';
import { caseFile } from './import-bundle.ts';
import { loadRun } from './load-run.ts';
import { runDirectory } from './run-directory.ts';

export interface Exported {
  /** File name to be offered. */
  name: string;
  bytes: Buffer;
}

const nameOf = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '') || 'case';

/** A file that nobody could open is worth less than a sentence, and the sentence comes now. */
async function requireReadable(bytes: Buffer): Promise<void> {
  try {
    await readBundle(bytes);
  } catch (cause) {
    if (!(cause instanceof DrillError)) throw cause;
    const why = `This run makes no bundle that could be opened again, so none is handed over. ${cause.message}`;
    throw new DrillError('refused', why, { cause });
  }
}

/**
 * The bundle of a run. A run that was imported gives the very file that it came in.
 *
 * @throws DrillError `not-found` where there is no such run, `refused` where it has no finished step or makes
 *   no bundle that can be read, `busy` while a step is at work
 */
export async function exportRun(id: string): Promise<Exported> {
  const run = loadRun(id);
  const { row, lab, records } = run;
  const name = `${lab.id}-${nameOf(run.scenario?.id.split('/')[1] ?? row.title)}.zip`;
  if (bundleOf(store(), id)) return { name, bytes: readFileSync(caseFile(id)) };
  if (run.begun)
    throw new DrillError('busy', `Step "${run.begun.label}" is running. Export the run when it has ended.`);
  if (records.length === 0)
    throw new DrillError('refused', 'This run has no finished step yet, so there is nothing to hand over.');
  const source: BundleSource = {
    lab,
    id,
    title: row.title,
    createdAt: row.created_at,
    origin: row.origin_run ? { run: row.origin_run, label: row.origin_label ?? '' } : null,
    scenario: run.scenario,
    without: run.without,
    records,
    predictions: predictionsOf(store(), id).map(({ seq, value }) => ({
      seq,
      value: value === null ? null : (JSON.parse(value) as Json),
    })),
    dir: runDirectory(id),
    dataDir: dataDirectory(),
  };
  const bytes = await makeBundle(source);
  await requireReadable(bytes);
  return { name, bytes };
}
