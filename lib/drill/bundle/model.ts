/** A run bundle as data: one zip that shows a case, and replays it (README.md, "Bundles"). */
import type { Json } from '../../core/json.ts';
import type { CheckResult, Decision, Effect, Evidence } from '../../evidence/model.ts';
import type { Lab } from '../../labs/contract.ts';
import type { Predict, Scenario, StepRecord } from '../model.ts';
import type { CheckVerdict, InvariantVerdict } from '../verdict.ts';

/** Raised whenever an older program could not read what a newer one writes. */
export const FORMAT = 1;

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
  run: { lab: string; scenario: string; title: string; verdict: CheckResult };
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

export interface JournalStep {
  /** Evidence of the step before; null at the first. */
  before: Evidence | null;
  /** The step as recorded; its own evidence is what was found after it. */
  record: StepRecord;
  prediction: JournalPrediction | null;
}

export interface Journal {
  format: number;
  run: {
    id: string;
    lab: string;
    title: string;
    createdAt: string;
    without: string[];
    origin: { run: string; label: string } | null;
  };
  verdict: CheckResult;
  reasons: string[];
  effect: Effect | null;
  decision: Decision | null;
  checks: (CheckVerdict & { says: string })[];
  invariants: InvariantVerdict[];
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
