/** Running a bundle's scenario again, and where what comes out first differs from what it tells. */
import { canonicalJson } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import { firstDifference } from '../../evidence/diff.ts';
import { endWord, judgeStep } from '../checks.ts';
import type { StepRecord } from '../model.ts';
import { conclusions, stepsBeforeRace } from '../propose.ts';
import type { Verdict } from '../reasons.ts';
import { runScenario } from '../run.ts';
import { type Judgment, judge } from '../verdict.ts';
import type { Bundle, CodeVersion } from './model.ts';
import { codeVersion } from './versions.ts';

/** Where a replay first differs: evidence by panel, row and cell; else how a step ended, what it was judged, a check. */
export interface ReplayDifference {
  step: string;
  panel: string;
  row: string;
  cell: string;
  bundle: Json;
  replay: Json;
}

export interface ReplayResult {
  equal: boolean;
  /**
   * `bytes`: evidence, ends and conclusions of every step; `checks`: the same up to a race, and from there on what
   * the steps are expected to do, checks and invariants. Details of replies and output vary and are not compared.
   */
  by: 'bytes' | 'checks';
  steps: number;
  difference: ReplayDifference | null;
  verdict: { bundle: Verdict; replay: Verdict };
  code: { bundle: CodeVersion; here: CodeVersion; same: boolean };
  /** The result in one sentence. */
  says: string;
}

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** How each executor ended, and what it concluded. */
const ends = (record: StepRecord): Json => record.executors.map(endWord);
const concluded = (record: StepRecord): Json => record.executors.map(conclusions);

function stepDifference(a: StepRecord, b: StepRecord): ReplayDifference | null {
  const at = { step: a.label };
  if (a.evidence === null || b.evidence === null) {
    if (a.evidence === b.evidence) return null;
    const has = (record: StepRecord) => (record.evidence ? 'evidence' : 'no evidence');
    return { ...at, panel: 'evidence', row: '*', cell: '*', bundle: has(a), replay: has(b) };
  }
  const found = firstDifference(a.evidence, b.evidence);
  if (found) {
    const { panel, row, cell } = found;
    return { ...at, panel, row, cell, bundle: found.a, replay: found.b };
  }
  for (const [cell, of] of Object.entries({ end: ends, reply: concluded })) {
    if (isSame(of(a), of(b))) continue;
    return { ...at, panel: 'process', row: 'executors', cell, bundle: of(a), replay: of(b) };
  }
  return null;
}

function byBytes(before: readonly StepRecord[], after: readonly StepRecord[]): ReplayDifference | null {
  for (const [index, record] of before.entries()) {
    const again = after[index];
    const difference = again ? stepDifference(record, again) : null;
    if (difference) return difference;
  }
  return null;
}

/** Armed faults that no executor came to. */
const unfired = ({ fault }: StepRecord): Json =>
  fault.armed.filter((armed) => !fault.fired.some((fired) => isSame(armed, fired))).map(({ at }) => at);

/** How a step was judged: everything that a verdict is made of, besides checks and invariants. */
function stepJudgment(record: StepRecord): { panel: string; row: string; cell: string; value: Json }[] {
  return [
    { panel: 'process', row: 'step', cell: 'state', value: record.state },
    ...record.expectations.map(({ what, result, detail }) => ({
      panel: 'expectations',
      row: what,
      cell: 'result',
      value: `${result}: ${detail}`,
    })),
    { panel: 'process', row: 'faults', cell: 'not fired', value: unfired(record) },
  ];
}

function stepJudgmentDifference(before: StepRecord, after: StepRecord | undefined): ReplayDifference | null {
  const step = before.label;
  if (!after) return { step, panel: 'step', row: '*', cell: '*', bundle: 'recorded', replay: 'not run' };
  const now = stepJudgment(after);
  for (const [index, { value: bundle, ...place }] of stepJudgment(before).entries()) {
    const replay = now[index]?.value ?? null;
    if (!isSame(bundle, replay)) return { step, ...place, bundle, replay };
  }
  return null;
}

function byJudgment(before: Judged, after: Judged): ReplayDifference | null {
  for (const [index, record] of before.records.entries()) {
    const found = stepJudgmentDifference(record, after.records[index]);
    if (found) return found;
  }
  for (const [index, check] of before.checks.entries()) {
    const again = after.checks[index];
    if (again?.result === check.result) continue;
    const row = `check ${index + 1}`;
    const found = { bundle: check.detail, replay: again?.detail ?? null };
    return { step: 'end', panel: 'checks', row, cell: 'result', ...found };
  }
  for (const { id: row, result: bundle, since } of before.invariants) {
    const again = after.invariants.find((candidate) => candidate.id === row);
    if (again?.result === bundle) continue;
    const step = since ?? again?.since ?? 'end';
    return { step, panel: 'invariants', row, cell: 'result', bundle, replay: again?.result ?? null };
  }
  return null;
}

interface Judged extends Judgment {
  records: readonly StepRecord[];
}

/** Records judged by what the scenario expects, here and now: both sides by one measure, whatever a journal claims. */
function judged({ lab, scenario }: Pick<Bundle, 'lab' | 'scenario'>, records: readonly StepRecord[]): Judged {
  const again: StepRecord[] = [];
  for (const [index, record] of records.entries()) {
    const spec = scenario.steps[index] ?? record.spec;
    again.push(judgeStep(lab, { ...record, spec }, again));
  }
  return { records: again, ...judge(lab, scenario, again) };
}

const show = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));

const COMPARED = {
  bytes:
    'the evidence after every step is the same to the byte, and so is how each executor ended and what it concluded',
  checks:
    'up to the race everything is the same to the byte, and from there on, where it is free who wins, what the steps are expected to do, checks and invariants come out the same',
};
const NOT_COMPARED = 'Details of replies and what the executors printed were not compared.';

function sentence(result: Omit<ReplayResult, 'says'>): string {
  const { by, code, difference, steps } = result;
  const other = code.same
    ? ''
    : ` The bundle was written by another version of the code (${versions(code)}).`;
  if (!difference) {
    return `Equal: ${steps} steps were run again; ${COMPARED[by]}. ${NOT_COMPARED}${other}`;
  }
  const { step, panel, row, cell, bundle, replay } = difference;
  return `Different: after step "${step}", in ${panel}, row ${row}, cell ${cell}: ${show(bundle)} in the bundle, ${show(replay)} in the replay.${other}`;
}

function versions({ bundle, here }: ReplayResult['code']): string {
  const word = ({ version, digest }: CodeVersion) => `${version}, ${digest.slice(0, 8)}`;
  return `${word(bundle)}; here ${word(here)}`;
}

/**
 * Compares what a bundle tells with a run of its scenario.
 *
 * @param records of the new run, in order
 */
export function compareReplay(
  bundle: Pick<Bundle, 'manifest' | 'journal' | 'scenario' | 'lab'>,
  records: readonly StepRecord[],
): ReplayResult {
  const { journal, manifest, scenario, lab } = bundle;
  const before = journal.steps.map((step) => step.record);
  const certain = stepsBeforeRace(scenario.steps);
  const [then, now] = [judged(bundle, before), judged(bundle, records)];
  const by = certain < before.length ? 'checks' : 'bytes';
  const difference = byBytes(before.slice(0, certain), records) ?? byJudgment(then, now);
  const verdict = { bundle: then.verdict, replay: now.verdict };
  const here = codeVersion(lab.id);
  const code = {
    bundle: manifest.code,
    here,
    same: manifest.code.digest === here.digest && manifest.code.version === here.version,
  };
  // A verdict follows from what was compared, so two verdicts never differ alone.
  const equal = difference === null;
  const result = { equal, by, steps: before.length, difference, verdict, code } as const;
  return { ...result, says: sentence(result) };
}

/**
 * Runs a bundle's scenario again in a directory of its own. Only commands of the registered lab are run: the
 * scenario was validated against it when the bundle was read.
 *
 * @throws DrillError for a step that cannot be asked for
 */
export async function replayBundle(bundle: Bundle, dir: string): Promise<ReplayResult> {
  const { lab, scenario } = bundle;
  const { records } = await runScenario(lab, scenario, { dir });
  return compareReplay(bundle, records);
}
