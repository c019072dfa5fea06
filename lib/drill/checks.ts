/** Judging: a step against its expectations and the lab's invariants, a run against its checks. */
import { canonicalJson } from '../core/canonical.ts';
import type { Json } from '../core/json.ts';
import { gapsOf } from '../evidence/gaps.ts';
import { type CheckResult, type Evidence, type PanelId, panel } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import type { Check, ExecutorEnd, ExpectationResult, StepRecord } from './model.ts';
import { nextAction } from './operator.ts';
import { cellOf, member, trueChanges } from './select.ts';

export interface CheckOutcome {
  result: CheckResult;
  /** The two figures compared. */
  detail: string;
}

const show = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value : canonicalJson(value);

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b);
}

/** How an executor ended, in one word: exit code, signal name, `held`, `deadline`, `not-started`, `ended-before`. */
export function endWord(end: ExecutorEnd | undefined): string {
  if (!end || end.notStarted) return 'not-started';
  if (end.timedOut) return 'deadline';
  if (end.signal) return end.signal;
  if (end.code !== null) return String(end.code);
  if (end.held) return 'held';
  return end.endedBefore ? 'ended-before' : 'unknown';
}

function compare(what: string, expected: Json, actual: Json | undefined): ExpectationResult {
  const result = same(expected, actual) ? 'holds' : 'violated';
  return { what, result, detail: `expected ${show(expected)}, got ${show(actual)}` };
}

/** Compares what a step expected with what came; a step that was interrupted leaves its expectations unknown. */
export function expectationsOf(record: StepRecord): ExpectationResult[] {
  const expect = record.spec.expect ?? {};
  const first = record.executors[0];
  const results: ExpectationResult[] = [];
  if (expect.exit !== undefined) results.push(compare('exit', String(expect.exit), endWord(first)));
  if (expect.signal !== undefined) results.push(compare('signal', expect.signal, endWord(first)));
  if (expect.held !== undefined)
    results.push(
      compare(
        'held',
        expect.held,
        record.executors.some((e) => e.held !== null),
      ),
    );
  for (const [path, value] of Object.entries(expect.reply ?? {})) {
    results.push(compare(`reply ${path}`, value, member(first?.reply ?? undefined, path)));
  }
  if (expect.exits) {
    const counts: Record<string, number> = {};
    for (const end of record.executors) counts[endWord(end)] = (counts[endWord(end)] ?? 0) + 1;
    results.push(compare('exits', expect.exits, counts));
  }
  if (record.state === 'done') return results;
  return results.map((result) => ({ ...result, result: 'unknown' }));
}

/** Adds expectations and invariants to a fresh record. Every invariant is judged after every step. */
export function judgeStep(lab: Lab, record: StepRecord, history: readonly StepRecord[]): StepRecord {
  const judged = { ...record, expectations: expectationsOf(record) };
  const all = [...history, judged];
  judged.invariants = lab.invariants.map((invariant) => ({ id: invariant.id, ...invariant.check(all) }));
  return judged;
}

function at(label: string, records: readonly StepRecord[], finished: boolean): Evidence | null {
  if (label === 'end') return finished ? (records.at(-1)?.evidence ?? null) : null;
  return records.find((record) => record.label === label)?.evidence ?? null;
}

function notYet(label: string): CheckOutcome {
  return {
    result: 'unknown',
    detail: label === 'end' ? 'the run has not ended' : `step ${label} has not run`,
  };
}

const verdictOf = (good: boolean): CheckResult => (good ? 'holds' : 'violated');

/**
 * Says which store a panel cannot be read from, or null. A panel with no rows because its store is gone proves no
 * absence: a check on it is unknown.
 */
function blind(lab: Lab, evidence: Evidence, id: PanelId, store?: string): CheckOutcome | null {
  const gone = gapsOf(evidence, id, lab.stores).find(
    (gap) => gap.problem !== 'damaged' && (store === undefined || gap.joins || gap.store === store),
  );
  return gone ? { result: 'unknown', detail: `store ${gone.store} is ${gone.problem}` } : null;
}

/**
 * Evaluates one check.
 *
 * @param lab says which stores a panel is read from
 * @param finished whether every step of the scenario has a record: `end` means nothing before
 */
export function evaluateCheck(
  lab: Lab,
  check: Check,
  records: readonly StepRecord[],
  finished: boolean,
): CheckOutcome {
  if ('unchanged' in check) {
    const before = at(check.from, records, finished);
    const after = at(check.to, records, finished);
    if (!before) return notYet(check.from);
    if (!after) return notYet(check.to);
    const unseen = blind(lab, before, check.unchanged) ?? blind(lab, after, check.unchanged);
    if (unseen) return unseen;
    const [a, b] = [panel(before, check.unchanged), panel(after, check.unchanged)];
    const equal = canonicalJson(a.rows) === canonicalJson(b.rows);
    const rows = `${a.rows.length} -> ${b.rows.length} rows`;
    return { result: verdictOf(equal), detail: equal ? `${rows}, equal` : `${rows}, different` };
  }
  const evidence = at(check.at, records, finished);
  if (!evidence) return notYet(check.at);
  if ('changes' in check) {
    const found = trueChanges(evidence, check.operation);
    return {
      result: verdictOf(found === check.changes),
      detail: `${check.changes} expected, ${found} observed`,
    };
  }
  if ('settled' in check) {
    const label = check.at === 'end' ? records.at(-1)?.label : check.at;
    const next = nextAction(lab, records.slice(0, records.findIndex((one) => one.label === label) + 1));
    return {
      result: verdictOf((next === null) === check.settled),
      detail: next ? `still to do: ${next.command}` : 'nothing left to do',
    };
  }
  if ('count' in check) {
    const unseen = blind(lab, evidence, check.panel, check.store);
    if (unseen) return unseen;
    const rows = panel(evidence, check.panel).rows.filter((row) => !check.store || row.store === check.store);
    return {
      result: verdictOf(rows.length === check.count),
      detail: `${check.count} expected, ${rows.length} found`,
    };
  }
  const found = cellOf(evidence, check.panel, check.row, check.cell);
  if (found === undefined) {
    const unseen = blind(lab, evidence, check.panel);
    if (unseen) return unseen;
    const keys = panel(evidence, check.panel).rows.map((row) => row.key);
    const there = keys.length === 0 ? 'the panel is empty' : `there are: ${keys.join(', ')}`;
    const what = keys.includes(check.row)
      ? `row ${check.row} has no cell ${check.cell}`
      : `no row ${check.row}; ${there}`;
    return { result: 'violated', detail: `${show(check.equals)} expected, ${what}` };
  }
  return {
    result: verdictOf(same(found, check.equals)),
    detail: `${show(check.equals)} expected, ${show(found)} found`,
  };
}
