/** A run bundle as data: one zip that shows a case, and replays it (README.md, "Bundles"). */
import type { Json } from '../../core/json.ts';
import type { Decision, Effect } from '../../evidence/model.ts';
import type { Lab } from '../../labs/contract.ts';
import type { Predict, Scenario, StepFacts, StepRecord } from '../model.ts';
import type { Judgment } from '../verdict.ts';

/** Raised whenever an older program could not read what a newer one writes. */
export const FORMAT = 2;

export const MANIFEST = 'manifest.json';
export const SCENARIO = 'scenario.yaml';
export const JOURNAL = 'journal.json';
export const REPORT_MD = 'REPORT.md';
export const REPORT_HTML = 'report.html';

/** What an archive may hold at most; an honest one is far below. */
export const LIMITS = {
  /** Of the file as it comes. */
  archiveBytes: 64 * 1024 * 1024,
  /** Of all entries together, unpacked. */
  unpackedBytes: 128 * 1024 * 1024,
  entryBytes: 32 * 1024 * 1024,
  entries: 2_000,
  /** How deep the JSON documents may nest. */
  depth: 64,
} as const;

/** Which program wrote a bundle. */
export interface CodeVersion {
  /** Of package.json. */
  version: string;
  /** Of the sources that run and judge a step of the lab: equal digests, equal behaviour. */
  digest: string;
}

export interface Manifest {
  format: number;
  code: CodeVersion;
  runtime: { node: string; sqlite: string };
  run: { lab: string; scenario: string; title: string };
  /** Every other file of the archive, by its path. */
  files: Record<string, { bytes: number; sha256: string }>;
}

/** What a person said would happen at a step, beside what happened. */
export interface JournalPrediction {
  question: Predict;
  /** null where the question was skipped. */
  said: Json;
  /** Read from the step that followed; null where it had no such figure. */
  was: Json;
}

/** The run that a journal is of. */
export interface JournalRun {
  id: string;
  lab: string;
  title: string;
  createdAt: string;
  without: string[];
  origin: { run: string; label: string } | null;
}

/** journal.json: what happened, and nothing that follows from it. */
export interface JournalFile {
  format: number;
  run: JournalRun;
  steps: { record: StepFacts; prediction: { said: Json } | null }[];
}

export interface JournalStep {
  record: StepRecord;
  prediction: JournalPrediction | null;
}

/** A journal as it was opened: judged here and now. */
export interface Journal extends Judgment {
  run: JournalRun;
  effect: Effect | null;
  decision: Decision | null;
  steps: JournalStep[];
}

/** A bundle that was read and found sound. */
export interface Bundle {
  manifest: Manifest;
  scenario: Scenario;
  journal: Journal;
  lab: Lab;
  files: ReadonlyMap<string, Buffer>;
}
