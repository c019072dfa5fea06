/** Running a bundle's scenario again, and where what comes out first differs from what it tells. */
import { canonicalJson } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import { firstDifference } from '../../evidence/diff.ts';
import type { CheckResult } from '../../evidence/model.ts';
import { endWord } from '../checks.ts';
import type { StepRecord } from '../model.ts';
import { hasRace } from '../propose.ts';
import { runScenario } from '../run.ts';
import { type Judgment, judge } from '../verdict.ts';
import type { Bundle, CodeVersion } from './model.ts';
import { codeVersion } from './versions.ts';

/** Where a replay first differs: evidence by panel, row and cell; else how a step ended, or a check. */
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
  /** `bytes`: evidence and ends of every step; `checks`: a run with a race, by checks, statements and verdict. */
  by: 'bytes' | 'checks';
  steps: number;
  difference: ReplayDifference | null;
  verdict: { bundle: CheckResult; replay: CheckResult };
  code: { bundle: CodeVersion; here: CodeVersion; same: boolean };
  /** The result in one sentence. */
  says: string;
}

const ends = (record: StepRecord): Json => record.executors.map(endWord);

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
  if (canonicalJson(ends(a)) === canonicalJson(ends(b))) return null;
  return { ...at, panel: 'process', row: 'executors', cell: 'end', bundle: ends(a), replay: ends(b) };
}

function byBytes(before: readonly StepRecord[], after: readonly StepRecord[]): ReplayDifference | null {
  for (const [index, record] of before.entries()) {
    const again = after[index];
    if (!again) {
      const gone = { panel: 'step', row: '*', cell: '*', bundle: 'recorded', replay: 'not run' };
      return { step: record.label, ...gone };
    }
    const difference = stepDifference(record, again);
    if (difference) return difference;
  }
  return null;
}

function byJudgment(before: Judgment, after: Judgment): ReplayDifference | null {
  for (const [index, check] of before.checks.entries()) {
    const again = after.checks[index];
    if (again?.result === check.result) continue;
    const row = `check ${index + 1}`;
    const found = { bundle: check.detail, replay: again?.detail ?? null };
    return { step: 'end', panel: 'checks', row, cell: 'result', ...found };
  }
  for (const statement of before.statements) {
    const again = after.statements.find((candidate) => candidate.id === statement.id);
    if (again?.result === statement.result) continue;
    const found = { bundle: statement.result, replay: again?.result ?? null };
    return {
      step: statement.since ?? 'end',
      panel: 'statements',
      row: statement.id,
      cell: 'result',
      ...found,
    };
  }
  return null;
}

const show = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));

function sentence(result: Omit<ReplayResult, 'says'>): string {
  const { by, code, difference, equal, steps, verdict } = result;
  const other = code.same
    ? ''
    : ` The bundle was written by another version of the code (${versions(code)}).`;
  if (equal) {
    const how =
      by === 'bytes'
        ? 'the evidence after every step is the same to the byte'
        : 'it has a race, so checks, statements and verdict were compared, and they are the same';
    return `Equal: ${steps} steps were run again, and ${how}.${other}`;
  }
  if (difference) {
    const { step, panel, row, cell, bundle, replay } = difference;
    return `Different: after step "${step}", in ${panel}, row ${row}, cell ${cell}: ${show(bundle)} in the bundle, ${show(replay)} in the replay.${other}`;
  }
  return `Different: the bundle's verdict is ${verdict.bundle}, the replay's ${verdict.replay}.${other}`;
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
  const [then, now] = [judge(lab, scenario, before), judge(lab, scenario, records)];
  const by = hasRace(scenario.steps) ? 'checks' : 'bytes';
  const difference = (by === 'bytes' ? byBytes(before, records) : null) ?? byJudgment(then, now);
  const verdict = { bundle: then.verdict, replay: now.verdict };
  const here = codeVersion(lab.id);
  const code = {
    bundle: manifest.code,
    here,
    same: manifest.code.digest === here.digest && manifest.code.version === here.version,
  };
  const equal = difference === null && then.verdict === now.verdict;
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
