import { createHash } from 'node:crypto';
import type { Json } from '../../core/json.ts';
import type { Lab } from '../../labs/contract.ts';
import { checkSentence } from '../check-sentence.ts';
import type { Scenario, StepRecord } from '../model.ts';
import { assessmentOf, decisionOf } from '../outcome.ts';
import { scenarioAsRun, scenarioYaml } from '../propose.ts';
import { select } from '../select.ts';
import { judge } from '../verdict.ts';
import { judgedAnew } from './agree.ts';
import { writeArchive } from './archive.ts';
import { databaseFiles } from './databases.ts';
import {
  FORMAT,
  JOURNAL,
  type Journal,
  type JournalStep,
  MANIFEST,
  type Manifest,
  REPORT_HTML,
  REPORT_MD,
  SCENARIO,
} from './model.ts';
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

function journalSteps(source: BundleSource, records: readonly StepRecord[]): JournalStep[] {
  return records.map((record, index) => {
    const said = source.predictions.find((prediction) => prediction.seq === index + 1);
    const question = record.spec.predict;
    return {
      before: records[index - 1]?.evidence ?? null,
      record,
      prediction:
        question && said
          ? { question, said: said.value, was: select(question.answer, record) ?? null }
          : null,
    };
  });
}

/** The run told step by step, without paths of the machine. */
export function journalOf(source: BundleSource, scenario: Scenario): Journal {
  const { lab } = source;
  const scrub = scrubber(source.dir, source.dataDir);
  // What the manifest names as its code has to be what judged: a run may be older than that.
  const records = judgedAnew(
    lab,
    source.records.map((record) => scrubRecord(record, scrub)),
  );
  const { verdict, reasons, checks, invariants } = judge(lab, scenario, records);
  return {
    format: FORMAT,
    run: {
      id: source.id,
      lab: lab.id,
      title: source.title,
      createdAt: source.createdAt,
      without: [...source.without],
      origin: source.origin,
    },
    verdict,
    reasons: reasons.map(scrub),
    effect: assessmentOf(lab, records)?.effect ?? null,
    decision: decisionOf(lab, records),
    checks: checks.map((check) => ({ ...check, says: checkSentence(check.check) })),
    invariants,
    steps: journalSteps(source, records),
  };
}

const text = (value: string): Buffer => Buffer.from(value, 'utf8');

function manifestOf(journal: Journal, scenario: Scenario, files: ReadonlyMap<string, Buffer>): Manifest {
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
      verdict: journal.verdict,
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
  const journal = journalOf(source, scenario);
  const document = { journal, scenario, lab, code: codeVersion(lab.id), runtime: runtimeVersions() };
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
