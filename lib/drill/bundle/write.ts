import { createHash } from 'node:crypto';
import type { Json } from '../../core/json.ts';
import type { Lab } from '../../labs/contract.ts';
import type { Scenario, StepRecord } from '../model.ts';
import { scenarioAsRun, scenarioYaml } from '../propose.ts';
import { writeArchive } from './archive.ts';
import { databaseFiles } from './databases.ts';
import {
  FORMAT,
  JOURNAL,
  type Journal,
  type JournalFile,
  MANIFEST,
  type Manifest,
  REPORT_HTML,
  REPORT_MD,
  SCENARIO,
} from './model.ts';
import { openJournal } from './open.ts';
import { reportHtml } from './report-html.ts';
import { reportMarkdown } from './report-markdown.ts';
import { scrubber, scrubRecord } from './scrub.ts';
import { codeVersion, runtimeVersions } from './versions.ts';

/** A run, as much as a bundle needs to know of it. */
export interface BundleSource {
  lab: Lab;
  id: string;
  title: string;
  createdAt: string;
  origin: { run: string; label: string } | null;
  /** What the run follows; null in free play. */
  scenario: Scenario | null;
  without: readonly string[];
  records: readonly StepRecord[];
  predictions: readonly { seq: number; value: Json }[];
  /** Directory of the run. */
  dir: string;
  /** Of the dashboard, where the run is one of its own: its path is kept out of the bundle. */
  dataDir?: string;
}

/** What happened in the run, without paths of the machine. */
function journalFile(source: BundleSource): JournalFile {
  const scrub = scrubber(source.dir, source.dataDir);
  const { id, title, createdAt, origin } = source;
  return {
    format: FORMAT,
    run: { id, lab: source.lab.id, title, createdAt, without: [...source.without], origin },
    steps: source.records.map((judged, index) => {
      const { expectations: _, invariants: __, assessment: ___, outcome: ____, ...record } = judged;
      const said = source.predictions.find((prediction) => prediction.seq === index + 1);
      const asked = record.spec.predict && said;
      return { record: scrubRecord(record, scrub), prediction: asked ? { said: said.value } : null };
    }),
  };
}

/** A run as its bundle shows it. */
export const journalOf = (source: BundleSource, scenario: Scenario): Journal =>
  openJournal(source.lab, scenario, journalFile(source));

const text = (value: string): Buffer => Buffer.from(value, 'utf8');

function manifestOf(journal: JournalFile, scenario: Scenario, files: ReadonlyMap<string, Buffer>): Manifest {
  const listed = [...files].map(([name, content]): [string, { bytes: number; sha256: string }] => [
    name,
    { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') },
  ]);
  return {
    format: FORMAT,
    code: codeVersion(journal.run.lab),
    runtime: runtimeVersions(),
    run: {
      lab: journal.run.lab,
      scenario: scenario.id,
      title: journal.run.title,
    },
    files: Object.fromEntries(listed),
  };
}

/**
 * Packs a run into one zip: scenario, journal, databases and two reports, with the hash of each. Reads the raw
 * copies of the run and nothing that is still written to; the same run gives the same bytes.
 *
 * @returns the zip
 * @throws whatever the file system throws where the run's copies cannot be read
 */
export async function makeBundle(source: BundleSource): Promise<Buffer> {
  const { lab, records } = source;
  const scenario = scenarioAsRun(lab, source);
  const journal = journalFile(source);
  const document = {
    journal: openJournal(lab, scenario, journal),
    scenario,
    lab,
    code: codeVersion(lab.id),
    runtime: runtimeVersions(),
  };
  const stores = lab.stores.map((store) => store.file);
  const labels = records.map((record) => record.label);
  const files = new Map<string, Buffer>([
    [SCENARIO, text(scenarioYaml(scenario))],
    [JOURNAL, text(`${JSON.stringify(journal, null, 2)}\n`)],
    [REPORT_MD, text(reportMarkdown(document))],
    [REPORT_HTML, text(reportHtml(document))],
    ...databaseFiles(source.dir, stores, labels),
  ]);
  const manifest = text(`${JSON.stringify(manifestOf(journal, scenario, files), null, 2)}\n`);
  return writeArchive(new Map([[MANIFEST, manifest], ...files]));
}
